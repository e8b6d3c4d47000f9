//! The agent: one turn of a session, from a prompt to its end. The decisions are a pure machine; a driver does the IO
//! through the traits of [`ports`].
//!
//! It never knows a window or a client, and writes only through [`ports::Ledger`]. `gateway` starts turns.

pub mod approval;
pub mod bang;
pub mod compress;
pub mod context;
pub mod driver;
mod instructions;
pub mod model;
mod outbox;
pub mod ports;
mod project_file;
mod relay;
mod reply;
pub mod title;
pub mod tools;
pub mod turn;
