//! The lists in their plainest form: what the user may do to sessions, and what must then be where. Tests do the same to a
//! store, or in the window, and compare.
//!
//! Sessions are numbers; a higher one was put in later. Nothing here is clever on purpose.

use crate::home::DAY;
use std::collections::{BTreeMap, HashSet};
use talaria_wire::{BulkAction, Millis};

/// Where a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Active,
    Archived,
    Trash,
}

/// One session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    pub place: Place,
    /// Where it goes from the trash.
    pub archived: bool,
    pub deleted_at: Millis,
    pub title: Option<String>,
    pub unread: bool,
    /// A small number for a path.
    pub folder: usize,
    pub last_active: Millis,
    pub pin: Option<i64>,
    /// The run of the automatic archive that took it; 0: brought back from one.
    pub swept: Option<Millis>,
}

impl Session {
    /// Active, untitled and read.
    pub fn new(last_active: Millis, folder: usize) -> Self {
        Self {
            place: Place::Active,
            archived: false,
            deleted_at: 0,
            title: None,
            unread: false,
            folder,
            last_active,
            pin: None,
            swept: None,
        }
    }
}

/// What the user does. The last part of some is a pin's rank, from Undo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Archive(usize),
    Unarchive(usize, Option<i64>),
    Trash(usize),
    Restore(usize, Option<i64>),
    Purge(usize),
    /// On top, or at a rank.
    Pin(usize, Option<i64>),
    Unpin(usize),
    Rename(usize, Option<String>),
    Mark(usize, bool),
    Bulk(Target, BulkAction, Vec<(usize, i64)>),
}

/// Whom a bulk step means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Ids(Vec<usize>),
    Folder(usize),
    Swept(u32),
    SweptAt(Millis),
}

/// What a step did. None of it: nothing had to change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    pub changed: Vec<usize>,
    /// Ranks that were taken away.
    pub pins: Vec<(usize, i64)>,
    pub refused: Vec<usize>,
}

/// The four lists, each in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lists {
    pub pinned: Vec<usize>,
    /// Active ones without a pin.
    pub active: Vec<usize>,
    pub archived: Vec<usize>,
    pub trash: Vec<usize>,
}

/// All sessions that are not gone for good.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    pub sessions: BTreeMap<usize, Session>,
}

impl Model {
    /// Does a step. `None`: it is refused, and nothing changes.
    pub fn apply(&mut self, step: &Step, now: Millis) -> Option<Done> {
        match step {
            Step::Archive(n) => self.one(*n, BulkAction::Archive, now),
            Step::Unarchive(n, rank) => {
                let done = self.one(*n, BulkAction::Unarchive, now)?;
                self.pin_given_back(*n, *rank);
                Some(done)
            }
            Step::Trash(n) => self.one(*n, BulkAction::Trash, now),
            Step::Restore(n, rank) => {
                let done = self.one(*n, BulkAction::Restore, now)?;
                if !done.changed.is_empty() {
                    self.pin_given_back(*n, *rank);
                }
                Some(done)
            }
            Step::Purge(n) => self.one(*n, BulkAction::Purge, now),
            Step::Mark(n, unread) => {
                self.one(*n, if *unread { BulkAction::MarkUnread } else { BulkAction::MarkRead }, now)
            }
            Step::Pin(n, rank) => {
                let pin = self.sessions.get(n).filter(|s| s.place == Place::Active)?.pin;
                match (rank, pin) {
                    (Some(rank), _) => self.pin_at(*n, *rank),
                    (None, None) => self.pin_at(*n, self.top()),
                    (None, Some(_)) => {}
                }
                Some(changed(*n, pin.is_none()))
            }
            Step::Unpin(n) => {
                let session = self.sessions.get_mut(n).filter(|s| s.place != Place::Trash)?;
                Some(changed(*n, session.pin.take().is_some()))
            }
            Step::Rename(n, title) => {
                self.sessions.get(n).filter(|s| s.place != Place::Trash)?;
                if title.as_ref().is_some_and(|title| self.is_taken(*n, title)) {
                    return None;
                }
                let session = self.sessions.get_mut(n)?;
                let old = std::mem::replace(&mut session.title, title.clone());
                Some(changed(*n, old != *title))
            }
            Step::Bulk(target, action, pins) => Some(self.bulk(target, *action, pins, now)),
        }
    }

    /// The step that takes a step back. `self` is as it was before. `None`: there is none, or nothing was changed.
    pub fn undo(&self, step: &Step, done: &Done) -> Option<Step> {
        if done.changed.is_empty() {
            return None;
        }
        let rank = done.pins.first().map(|(_, rank)| *rank);
        Some(match step {
            Step::Archive(n) => Step::Unarchive(*n, rank),
            Step::Unarchive(n, _) => Step::Archive(*n),
            Step::Trash(n) => Step::Restore(*n, rank),
            Step::Restore(n, _) => Step::Trash(*n),
            Step::Pin(n, _) => Step::Unpin(*n),
            Step::Unpin(n) => Step::Pin(*n, self.sessions[n].pin),
            Step::Rename(n, _) => Step::Rename(*n, self.sessions[n].title.clone()),
            Step::Mark(n, unread) => Step::Mark(*n, !unread),
            Step::Bulk(_, action, _) => {
                let opposite = match action {
                    BulkAction::Archive => BulkAction::Unarchive,
                    BulkAction::Unarchive => BulkAction::Archive,
                    BulkAction::Trash => BulkAction::Restore,
                    BulkAction::Restore => BulkAction::Trash,
                    BulkAction::MarkRead => BulkAction::MarkUnread,
                    BulkAction::MarkUnread => BulkAction::MarkRead,
                    BulkAction::Purge => return None,
                };
                Step::Bulk(Target::Ids(done.changed.clone()), opposite, done.pins.clone())
            }
            Step::Purge(_) => return None,
        })
    }

    /// The automatic archive. Answers whom it took.
    pub fn sweep(&mut self, days: u32, run: Millis, now: Millis) -> Vec<usize> {
        let mut taken = Vec::new();
        for (n, session) in &mut self.sessions {
            let old = session.last_active <= now - Millis::from(days) * DAY;
            let unused = session.pin.is_none() && !session.unread && session.swept.is_none();
            if old && session.place == Place::Active && unused {
                (session.place, session.archived, session.swept) = (Place::Archived, true, Some(run));
                taken.push(*n);
            }
        }
        taken
    }

    /// What the trash has kept for 30 days goes.
    pub fn expire(&mut self, now: Millis) {
        self.sessions.retain(|_, s| s.place != Place::Trash || s.deleted_at > now - 30 * DAY);
    }

    /// Who is where, in which order.
    pub fn lists(&self) -> Lists {
        let recent = |place: Place, pinned: bool| {
            let mut found: Vec<usize> = self
                .sessions
                .iter()
                .filter(|(_, s)| s.place == place && s.pin.is_some() == pinned)
                .map(|(n, _)| *n)
                .collect();
            found.sort_by_key(|n| std::cmp::Reverse(self.sessions[n].last_active));
            found
        };
        let mut pinned = recent(Place::Active, true);
        pinned.sort_by_key(|n| self.sessions[n].pin);
        let mut trash = recent(Place::Trash, false);
        trash.sort_by_key(|n| std::cmp::Reverse((self.sessions[n].deleted_at, *n)));
        Lists {
            pinned,
            active: recent(Place::Active, false),
            archived: recent(Place::Archived, false),
            trash,
        }
    }

    fn one(&mut self, n: usize, action: BulkAction, now: Millis) -> Option<Done> {
        let done = self.bulk(&Target::Ids(vec![n]), action, &[], now);
        done.refused.is_empty().then_some(done)
    }

    fn bulk(&mut self, target: &Target, action: BulkAction, pins: &[(usize, i64)], now: Millis) -> Done {
        let mut done = Done::default();
        let meant = self.meant(target, now);
        // Out of the trash, who can keep the title comes first.
        let (clashing, free): (Vec<usize>, Vec<usize>) =
            meant.iter().partition(|n| action == BulkAction::Restore && self.clashes(**n, &meant));
        for n in free.into_iter().chain(clashing) {
            let pin = self.sessions.get(&n).and_then(|session| session.pin);
            match self.act(n, action, now) {
                None => done.refused.push(n),
                Some(false) => {}
                Some(true) => {
                    done.changed.push(n);
                    if matches!(action, BulkAction::Archive | BulkAction::Trash) {
                        done.pins.extend(pin.map(|rank| (n, rank)));
                    }
                }
            }
        }
        done.changed.sort_by_key(|n| meant.iter().position(|other| other == n));
        if matches!(action, BulkAction::Unarchive | BulkAction::Restore) {
            let mut pins = pins.to_vec();
            pins.sort_by_key(|(_, rank)| *rank);
            for (n, rank) in pins {
                if done.changed.contains(&n) {
                    self.pin_given_back(n, Some(rank));
                }
            }
        }
        done
    }

    /// Whether a session's title is listed, or another one before it in the trash has it too.
    fn clashes(&self, n: usize, meant: &[usize]) -> bool {
        let title = |n: &usize| self.sessions.get(n).filter(|s| s.place == Place::Trash)?.title.as_ref();
        let Some(own) = title(&n) else { return false };
        let before = meant.iter().take_while(|other| **other != n);
        self.is_taken(n, own) || before.filter_map(title).any(|other| other == own)
    }

    fn meant(&self, target: &Target, now: Millis) -> Vec<usize> {
        let wanted = |s: &Session| match target {
            Target::Ids(_) => false,
            Target::Folder(folder) => s.place == Place::Active && s.pin.is_none() && s.folder == *folder,
            Target::Swept(days) => {
                s.place == Place::Archived
                    && s.swept.is_some()
                    && s.last_active > now - Millis::from(*days) * DAY
            }
            Target::SweptAt(run) => s.place == Place::Archived && s.swept == Some(*run),
        };
        if let Target::Ids(ids) = target {
            let mut seen = HashSet::new();
            return ids.iter().copied().filter(|n| seen.insert(*n)).collect();
        }
        let mut found: Vec<usize> =
            self.sessions.iter().filter(|(_, session)| wanted(session)).map(|(n, _)| *n).collect();
        found.sort_by_key(|n| std::cmp::Reverse(self.sessions[n].last_active));
        found
    }

    /// Whether it changed something; `None`: refused.
    fn act(&mut self, n: usize, action: BulkAction, now: Millis) -> Option<bool> {
        let deletes = matches!(action, BulkAction::Trash | BulkAction::Purge);
        let Some(session) = self.sessions.get_mut(&n) else { return deletes.then_some(false) };
        let place = session.place;
        match action {
            BulkAction::Archive | BulkAction::Unarchive if place == Place::Trash => return None,
            BulkAction::Archive => {
                (session.place, session.archived) = (Place::Archived, true);
                (session.pin, session.swept) = (None, None);
            }
            BulkAction::Unarchive => {
                (session.place, session.archived) = (Place::Active, false);
                session.swept = session.swept.map(|_| 0);
            }
            BulkAction::Trash if place == Place::Trash => {}
            BulkAction::Trash => {
                (session.place, session.deleted_at) = (Place::Trash, now);
                // What the automatic archive took is still its own when it comes back.
                session.pin = None;
            }
            BulkAction::Restore if place == Place::Trash => {
                let title = session.title.clone().map(|title| self.numbered(n, &title));
                let session = self.sessions.get_mut(&n)?;
                session.place = if session.archived { Place::Archived } else { Place::Active };
                session.title = title;
            }
            BulkAction::Restore => {}
            BulkAction::Purge => return Some(self.sessions.remove(&n).is_some()),
            BulkAction::MarkRead | BulkAction::MarkUnread => {
                let unread = action == BulkAction::MarkUnread;
                return Some(std::mem::replace(&mut session.unread, unread) != unread);
            }
        }
        Some(self.sessions[&n].place != place)
    }

    fn pin_given_back(&mut self, n: usize, rank: Option<i64>) {
        if let Some(rank) = rank.filter(|_| self.sessions[&n].place == Place::Active) {
            self.pin_at(n, rank);
        }
    }

    fn pin_at(&mut self, n: usize, rank: i64) {
        let taken = self.sessions.iter().any(|(other, s)| *other != n && s.pin == Some(rank));
        for (other, session) in &mut self.sessions {
            if *other == n {
                session.pin = Some(rank);
            } else if taken {
                session.pin = session.pin.map(|own| if own >= rank { own + 1 } else { own });
            }
        }
    }

    /// Above all pins.
    fn top(&self) -> i64 {
        self.sessions.values().filter_map(|s| s.pin).min().unwrap_or(1) - 1
    }

    fn is_taken(&self, n: usize, title: &str) -> bool {
        self.sessions
            .iter()
            .any(|(other, s)| *other != n && s.place != Place::Trash && s.title.as_deref() == Some(title))
    }

    fn numbered(&self, n: usize, title: &str) -> String {
        if !self.is_taken(n, title) {
            return title.to_owned();
        }
        let base = title.split(" #").next().unwrap_or(title);
        (2..).map(|k| format!("{base} #{k}")).find(|title| !self.is_taken(n, title)).expect("a free number")
    }
}

fn changed(n: usize, changed: bool) -> Done {
    Done { changed: if changed { vec![n] } else { Vec::new() }, ..Done::default() }
}
