//! Page sizes and cursors. A cursor names the last row of a page by its key, so a page costs the same wherever it is.

use super::error::StoreError;

/// Rows when the request says 0.
const ROWS: u32 = 50;
/// More is cut to this.
const MAX_ROWS: u32 = 500;

/// The number of rows a request asks for.
pub(super) fn rows(limit: u32, when_zero: u32) -> usize {
    (if limit == 0 { when_zero } else { limit.min(MAX_ROWS) }) as usize
}

/// The number of list rows a request asks for.
pub(super) fn list_rows(limit: u32) -> usize {
    rows(limit, ROWS)
}

/// A place in an order of lineages: the key of the order, then the row's id where the key may repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cursor {
    pub key: i64,
    pub id: i64,
}

impl Cursor {
    /// Text for the wire. `order` keeps a cursor of one order from being used in another.
    pub(super) fn encode(self, order: char) -> String {
        format!("{order}{}.{}", self.key, self.id)
    }

    /// Errors: `BadRequest` for text that no page of this order has given out.
    pub(super) fn decode(text: &str, order: char) -> Result<Self, StoreError> {
        let parts = text.strip_prefix(order).and_then(|rest| rest.split_once('.'));
        parts
            .and_then(|(key, id)| Some(Self { key: key.parse().ok()?, id: id.parse().ok()? }))
            .ok_or_else(|| StoreError::bad("The cursor is not from this list. Ask for the first page again."))
    }

    pub(super) fn decode_option(text: Option<&str>, order: char) -> Result<Option<Self>, StoreError> {
        text.map(|text| Self::decode(text, order)).transpose()
    }
}
