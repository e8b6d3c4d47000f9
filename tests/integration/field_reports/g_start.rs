//! Group G, the start.
//!
//! - G7, an overlay that flashes for a quick start: `ui/src/state/connecting.test.ts`, "a start of 50 or 250 ms shows
//!   nothing, one of 350 ms shows the overlay and lets it end"; in the real window
//!   `desktop/starting.rs`, `a_gateway_that_opens_at_once_is_never_covered`.
//! - G8, a white window: the watchdog in `src-tauri/src/first_paint.rs` (its own tests) and, in the real window,
//!   `desktop/first_paint.rs`: `the_start_after_a_white_window_draws_without_acceleration` and
//!   `a_chat_of_a_hundred_thousand_words_holds_up_neither_the_start_nor_the_window`.
