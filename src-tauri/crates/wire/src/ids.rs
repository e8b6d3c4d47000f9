//! Ids as newtypes. An id is never an order: order is the writer's integer sequence.

use serde::{Deserialize, Serialize};
use std::fmt;
use ts_rs::TS;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
        #[ts(export, type = "string")]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// The id's text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
    };
}

id!(
    /// A stored session (UUIDv7). A list row carries the id of its lineage's tip.
    SessionId
);
id!(
    /// A stored message (UUIDv7).
    MessageId
);
id!(
    /// Who is calling: a window's label in the shell, a connection in `talariactl serve`. Opaque to the core.
    ClientId
);
id!(
    /// A live session: 32 hex digits of chance, never reused. Compared only within the run that gave it.
    LiveId
);
id!(
    /// A question to the user that waits for an answer: 32 hex digits of chance.
    ApprovalId
);
