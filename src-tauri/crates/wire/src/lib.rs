//! What crosses IPC: ids, commands, events, errors and read models.
//!
//! Types only. This crate does no IO, knows no store and no window; every other crate and (through the generated
//! TypeScript) the UI speaks in its words. Times are integer milliseconds since the Unix epoch, UTC.

mod approval;
mod boot;
mod bulk;
mod command;
mod copy;
mod draft;
mod error;
mod event;
mod find;
mod health;
mod ids;
mod import;
mod live;
mod media;
mod message;
mod model;
mod save;
mod search;
mod session;
mod settings;
mod window;

pub use approval::*;
pub use boot::*;
pub use bulk::*;
pub use command::*;
pub use copy::*;
pub use draft::*;
pub use error::*;
pub use event::*;
pub use find::*;
pub use health::*;
pub use ids::*;
pub use import::*;
pub use live::*;
pub use media::*;
pub use message::*;
pub use model::*;
pub use save::*;
pub use search::*;
pub use session::*;
pub use settings::*;
pub use window::*;

/// Milliseconds since the Unix epoch, UTC.
pub type Millis = i64;
