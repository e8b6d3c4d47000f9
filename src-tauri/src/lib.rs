//! The shell: the only crate that knows Tauri. It builds the app, opens windows, hands each command to the core with
//! the calling window's label, and carries events and media back. It holds no logic of its own.

mod app;
mod arguments;
mod commands;
mod csp;
mod environment;
mod facts;
mod first_paint;
mod links;
mod logging;
mod media_scheme;
#[cfg(target_os = "linux")]
mod media_transport;
mod outside;
mod page_process;
mod placing;
mod signals;
mod spelling;
#[cfg(target_os = "linux")]
mod trusted;
mod windows;

#[cfg(test)]
mod ipc_test;

pub use app::run;
