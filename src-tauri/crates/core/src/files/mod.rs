//! Writing files for the user, where the user said: names that every system takes, a file on its way to its place, and
//! words for what stands in the way. Knows no session and no media; called by `export` and `save`.

mod error;
mod left;
pub mod name;
mod part;
mod rights;

pub use error::FileError;
pub use left::remove_left_behind;
pub use part::{Part, Written};
