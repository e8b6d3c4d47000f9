//! Find in conversation.

use crate::{CappedCount, MessageId, SessionId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `message_find`: the rows of one session in which the text occurs as it stands (any case; blanks are letters too).
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct MessageFindRequest {
    pub session_id: SessionId,
    pub query: String,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct FoundMessage {
    pub message_id: MessageId,
    /// Its place in the transcript.
    pub index: i64,
}

/// In the order of the transcript. Reaches every row a reader can see, rendered or not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct MessageFindResponse {
    /// At most 1,000: the newest.
    pub messages: Vec<FoundMessage>,
    /// All of them.
    pub count: CappedCount,
}
