//! A row of small writes without an end, told apart by their number alone: a process makes them, its killer knows what
//! must be there after each.

use crate::seed::session_id;
use talaria_core::store::{Store, StoreError};
use talaria_wire::{
    ClientId, DraftGetRequest, DraftSetRequest, SessionPinRequest, SessionRef, SessionUpdateRequest,
};

/// Sessions that one kind of write goes to; the kinds do not share any, because archiving unpins.
const EACH: usize = 10;
const KINDS: usize = 4;
/// Sessions that the store must hold.
pub const SESSIONS: usize = EACH * KINDS;

/// The window whose drafts are written.
fn client() -> ClientId {
    ClientId::from("main")
}

/// Write number `n`, from 0.
#[derive(Clone, Copy, Debug)]
pub struct Write(pub usize);

impl Write {
    fn kind(self) -> usize {
        self.0 % KINDS
    }

    fn session(self) -> usize {
        1 + self.kind() * EACH + (self.0 / KINDS) % EACH
    }

    /// Every second time a session has its turn, it is switched off again.
    fn on(self) -> bool {
        (self.0 / SESSIONS).is_multiple_of(2)
    }

    fn text(self) -> String {
        format!("Text {}", self.0)
    }

    /// The one before it that it wrote over, if there was one.
    pub fn before(self) -> Option<Self> {
        self.0.checked_sub(SESSIONS).map(Self)
    }

    /// Makes it.
    pub async fn make(self, store: &Store) -> Result<(), StoreError> {
        let id = session_id(self.session());
        let update =
            |title, archived| SessionUpdateRequest { id: id.clone(), title, archived, pin_rank: None };
        match self.kind() {
            0 => store.session_update(update(None, Some(self.on()))).await.map(drop),
            1 => store.session_update(update(Some(self.text()), None)).await.map(drop),
            2 => {
                let draft = DraftSetRequest { session_id: Some(id), text: self.text(), folder: None };
                store.draft_set(&client(), draft).await.map(drop)
            }
            _ => store.session_pin(SessionPinRequest { id, pinned: self.on(), rank: None }).await.map(drop),
        }
    }

    /// Whether the store is as this write left it.
    pub async fn is_there(self, store: &Store) -> Result<bool, StoreError> {
        let id = session_id(self.session());
        if self.kind() == 2 {
            let draft = store.draft_get(&client(), DraftGetRequest { session_id: Some(id) }).await?;
            return Ok(draft.text == self.text());
        }
        let row = store.session_get(SessionRef { id }).await?;
        Ok(match self.kind() {
            0 => row.archived == self.on(),
            1 => row.title == Some(self.text()),
            _ => row.pinned == self.on(),
        })
    }
}
