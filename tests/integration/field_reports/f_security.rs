//! Security.
//!
//! F1 (a path that leaves its scope): `media::paths::an_attack_in_the_text_is_blocked_before_the_disk`,
//! `media::access::an_ended_or_guessed_grant_is_forbidden_and_an_unknown_route_is_nothing`,
//! `media::scheme::only_the_scheme_s_own_route_leads_to_a_file`. F2 (a link, and a swap between check and open):
//! `media::paths::a_symlink_to_a_key_is_blocked_however_it_is_named`,
//! `media::paths::a_hard_link_to_a_private_file_is_blocked_and_to_another_it_is_not`,
//! `media::paths::a_path_swapped_between_a_clip_and_a_link_to_a_key_never_gives_the_key`. F5 (addresses of other
//! computers): `media::paths::an_attack_in_the_text_is_blocked_before_the_disk`. F7 (text that would run) and F10
//! (terminal output) in the real page: `tests/desktop/hostile.rs` and `tests/desktop/hostile_text.rs`; the tables of their
//! parsers in `ui/src/markdown`.
