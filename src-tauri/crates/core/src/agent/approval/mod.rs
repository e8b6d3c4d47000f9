//! Approvals: which acts of a tool are free, which are asked for, which are never done (security.md, "Approvals"), and
//! what an answer "Session" or "Always" is remembered for.
//!
//! Pure: the disk has been asked before (`tools::place`). Asking and answering is the gateway's part.

mod judge;
mod remember;
mod text;

pub use judge::{Act, Located, judge};
pub use remember::{Memory, Remembered};
