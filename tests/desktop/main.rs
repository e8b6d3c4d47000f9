//! Desktop tests: the real app in WebKitGTK under Xvfb, driven by the roles and names a person would use. Each test
//! has its own home, display and app.

mod accessibility;
mod archive;
mod by_keyboard;
mod conversation;
mod damaged;
mod delete;
mod first_paint;
mod first_start;
mod hostile;
mod hostile_text;
mod killed;
mod large_list;
mod live;
mod media;
mod media_files;
mod media_formats;
mod media_large;
mod media_names;
mod media_player;
mod media_together;
mod media_transport;
mod playing;
mod search;
mod second_start;
mod sequence;
mod sidebar;
mod starting;
mod steps;
mod transcript;
mod views;
mod windows;
