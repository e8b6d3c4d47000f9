//! Stores of any size, made the way an import makes them. What is made depends on the numbers alone, never on chance.

use crate::home::NOON;
use std::path::Path;
use std::sync::Arc;
use talaria_core::clock::ManualClock;
use talaria_core::store::{LineageKind, NewLineage, NewMessage, NewSession, OwnerLock, Relation, Store};
use talaria_wire::{MessageId, MessageRole, Millis, SessionId};

/// Lineages a transaction.
const BATCH: usize = 500;
const MINUTE: Millis = 60_000;

/// What to make.
#[derive(Clone, Debug)]
pub struct Seed {
    pub sessions: usize,
    pub messages_each: usize,
    /// Folders the sessions are spread over; 0: none has one.
    pub folders: usize,
    /// Every n-th is archived; 0: none.
    pub archived_every: usize,
    /// Every n-th has no title; 0: all have one.
    pub untitled_every: usize,
    /// Every n-th has no message; 0: all have some.
    pub empty_every: usize,
    /// When the newest was last active; each older one a minute before.
    pub newest: Millis,
}

impl Default for Seed {
    fn default() -> Self {
        Self {
            sessions: 100,
            messages_each: 10,
            folders: 8,
            archived_every: 0,
            untitled_every: 0,
            empty_every: 0,
            newest: NOON,
        }
    }
}

/// Fills the store of a home that no other process has open. Session n of `sessions` is titled `Session n`; the highest
/// number is the newest.
pub async fn seed(home: &Path, sessions: usize, messages_each: usize) {
    let lock = OwnerLock::acquire(home).expect("nobody has the home");
    let store = Store::open(home, lock, Arc::new(ManualClock::at(NOON))).expect("a store");
    fill(&store, &Seed { sessions, messages_each, ..Seed::default() }).await;
    store.close().await;
}

/// Fills an open store.
pub async fn fill(store: &Store, seed: &Seed) {
    let numbers: Vec<usize> = (1..=seed.sessions).collect();
    for batch in numbers.chunks(BATCH) {
        let lineages = batch.iter().map(|n| Arc::new(session(seed, *n))).collect();
        store.lineages_put(lineages).await.expect("the store takes the batch");
    }
}

/// Session `n`, from 1.
fn session(seed: &Seed, n: usize) -> NewLineage {
    let every = |each: usize| each != 0 && n.is_multiple_of(each);
    let last_active = seed.newest - (seed.sessions - n) as Millis * MINUTE;
    let messages = if every(seed.empty_every) { 0 } else { seed.messages_each };
    let mut lineage = chat(n, last_active, &(0..messages).map(|m| sentence(n, m)).collect::<Vec<_>>());
    lineage.title = (!every(seed.untitled_every)).then(|| format!("Session {n}"));
    if every(seed.archived_every) {
        lineage.kind = LineageKind::Archived;
    }
    if seed.folders > 0 {
        lineage.sessions[0].folder = Some(format!("/home/user/project-{}", n % seed.folders));
    }
    lineage
}

const WORDS: &[&str] = &[
    "harbour", "ledger", "copper", "window", "signal", "meadow", "bracket", "lantern", "orbit", "pepper",
    "quartz", "ribbon", "saddle", "timber", "velvet", "walnut", "yellow", "zephyr", "anchor", "basket",
    "candle", "dragon",
];

/// Twelve words of 22 that depend on both numbers; every one begins with "deploy".
fn sentence(n: usize, m: usize) -> String {
    let mut state = (n as u64) << 20 | m as u64;
    let mut text = "deploy".to_owned();
    for _ in 0..12 {
        // The multiplier and increment of Knuth's MMIX generator.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push(' ');
        text.push_str(WORDS[(state >> 33) as usize % WORDS.len()]);
    }
    text
}

/// A plain untitled session whose messages are these texts, user first, a second apart, the last at `last_active`. The
/// ids depend on `n` alone: `session-n`, `message-n-m`.
pub fn chat<T: AsRef<str>>(n: usize, last_active: Millis, texts: &[T]) -> NewLineage {
    let first = last_active - (texts.len().saturating_sub(1)) as Millis * 1000;
    let message = |(m, text): (usize, &T)| NewMessage {
        id: MessageId(format!("message-{n}-{m}")),
        session: 0,
        role: if m % 2 == 0 { MessageRole::User } else { MessageRole::Assistant },
        shown: true,
        undone: false,
        text: text.as_ref().to_owned(),
        created_at: first + m as Millis * 1000,
        tool_calls: Vec::new(),
        call_id: None,
        tool_name: None,
        notice: None,
        reasoning: None,
        finish_reason: None,
        origin_seq: None,
    };
    NewLineage {
        title: None,
        kind: LineageKind::Active,
        created_at: first,
        last_active,
        sessions: vec![NewSession {
            id: session_id(n),
            relation: Relation::Root,
            parent: None,
            source: "talaria".to_owned(),
            model: None,
            folder: None,
            git_branch: None,
            started_at: first,
            ended_at: Some(last_active),
            end_reason: None,
            origin: None,
        }],
        messages: texts.iter().enumerate().map(message).collect(),
    }
}

/// The id that [`chat`] gives session `n`.
pub fn session_id(n: usize) -> SessionId {
    SessionId(format!("session-{n}"))
}
