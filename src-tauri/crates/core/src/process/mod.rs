//! Child processes of tools: in their own group, with the user's environment and nothing of ours.
//!
//! Knows no session, no model and no approval: who calls has decided. Called by `agent::tools`.

mod decode;
mod end;
mod environment;
mod group;
mod kept;
#[cfg(unix)]
mod members;
mod run;
mod shell;

pub use end::{End, Ending};
pub use environment::Environment;
pub use run::{Command, Limits, run};
pub use shell::shell;
