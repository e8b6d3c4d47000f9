//! Security.
//!
//! F1 (a path that leaves its scope): `media::attacks::no_spelling_of_a_way_up_leaves_the_folder`,
//! `media::attacks_raw::no_spelling_of_the_address_leads_past_its_grant`,
//! `media::access::an_ended_or_guessed_grant_is_forbidden_and_an_unknown_route_is_nothing`,
//! `media::scheme::only_the_scheme_s_own_route_leads_to_a_file`. F2 (a link, and a swap between check and open):
//! `media::attacks::no_second_name_of_a_private_file_opens_it`,
//! `media::paths::a_path_swapped_between_a_clip_and_a_link_to_a_key_never_gives_the_key`,
//! `media::attacks_race::a_folder_swapped_for_a_link_to_a_private_one_never_gives_its_file`. F5 (addresses of other
//! computers): `media::attacks::no_form_of_another_computer_or_a_device_is_looked_up`. F7 (text that would run) and F10
//! (terminal output) in the real page: `tests/desktop/hostile.rs` and `tests/desktop/hostile_text.rs`; the tables of their
//! parsers in `ui/src/markdown`.
