//! Child processes of tools: in their own group, with the user's environment and nothing of ours.
//!
//! Knows no session, no model and no approval: who calls has decided.
