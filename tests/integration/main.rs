//! Integration tests: real SQLite files, real processes, real sockets. One binary, because each costs a link.

mod architecture;
mod command;
mod import;
mod media;
mod store;
