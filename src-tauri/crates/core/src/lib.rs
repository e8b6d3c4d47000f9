//! Everything testable in Talaria, without Tauri.
//!
//! Imports go one way: `clock <- store, media, notify, owner, process, secret <- files <- import, export, save, agent <-
//! gateway <- boot <- command`. A module never names one to its right; a test reads the `use` lines and holds the table.

pub mod agent;
pub mod boot;
pub mod clock;
pub mod command;
pub mod export;
pub mod files;
pub mod gateway;
pub mod import;
pub mod media;
pub mod notify;
pub mod owner;
pub mod process;
pub mod save;
pub mod secret;
pub mod store;
