//! Integration tests: real SQLite files, real processes, real sockets. One binary, because each costs a link.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop where it stands; support code of tests counts as tests"
)]

mod architecture;
mod boot;
mod command;
mod export;
mod field_reports;
mod import;
mod live;
mod media;
mod model;
#[cfg(unix)]
mod owner;
#[cfg(unix)]
mod save;
mod store;
#[cfg(target_os = "linux")]
mod tools;
