//! A long afternoon in the window: fifty steps by menu, key, click, page and Undo, each held against the model that the
//! store's own 2,000 steps are held against.

use crate::steps::{choose_for, open_app, open_archived_page, press_in_row};
use app_tests::desktop::{App, Page, Stage};
use app_tests::home::NOON;
use app_tests::model::{self, Lists, Model, Step};
use app_tests::seed::{chat, session_id};
use fantoccini::key::Key;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use talaria_core::clock::{Clock, SystemClock};
use talaria_core::store::{NewLineage, OwnerLock, Store};
use talaria_wire::*;

const SEED: u64 = 20_261_201;
const STEPS: usize = 50;
/// After so many the app is closed and opened again.
const RESTART_AFTER: usize = 30;
/// What Ctrl+Z reaches.
const MOST_UNDO: usize = 20;

/// Titles of sessions 1 and on, and then new ones. None begins with another.
const TITLES: &[&str] = &[
    "Amber", "Birch", "Cedar", "Delta", "Ember", "Fjord", "Grove", "Haven", "Inlet", "Kelp", "Larch",
    "Maple", "North", "Ocean", "Pebble", "Quartz", "Reed", "Slate", "Tundra", "Umbra", "Vale", "Willow",
];
const SESSIONS: usize = 8;

/// What a person does, and how.
#[derive(Clone, Copy, Debug)]
enum Move {
    ArchiveByMenu,
    ArchiveByKey,
    ArchiveByClick,
    Delete,
    Pin,
    Unpin,
    Rename,
    MarkUnread,
    /// These three on the Archived page.
    Unarchive,
    Restore,
    DeletePermanently,
    UndoByKey,
    /// By the button of the toast that the step before has made.
    UndoByToast,
}

/// So that each way is gone at least once, and each kind of toast undone.
const FIRST: &[Move] = &[
    Move::ArchiveByMenu,
    Move::UndoByToast,
    Move::Delete,
    Move::UndoByToast,
    Move::Pin,
    Move::Pin,
    Move::ArchiveByClick,
    Move::Unarchive,
    Move::UndoByToast,
    Move::Delete,
    Move::Restore,
    Move::UndoByToast,
    Move::UndoByKey,
    Move::UndoByKey,
    Move::UndoByKey,
];

const ANY: &[Move] = &[
    Move::ArchiveByMenu,
    Move::ArchiveByKey,
    Move::ArchiveByClick,
    Move::Delete,
    Move::Pin,
    Move::Pin,
    Move::Unpin,
    Move::Rename,
    Move::MarkUnread,
    Move::Unarchive,
    Move::Restore,
    Move::DeletePermanently,
    Move::UndoByKey,
    Move::UndoByKey,
    Move::UndoByKey,
];

struct Afternoon {
    app: App,
    model: Model,
    chance: StdRng,
    undos: Vec<Step>,
    titles_used: usize,
    on_archived_page: bool,
}

impl Afternoon {
    fn page(&self) -> &Page {
        &self.app.page
    }

    fn title(&self, n: usize) -> String {
        self.model.sessions[&n].title.clone().expect("each has one")
    }

    /// Whom a move may mean now.
    fn candidates(&self, next: Move) -> Vec<usize> {
        let Lists { pinned, active, archived, trash } = self.model.lists();
        match next {
            Move::ArchiveByMenu | Move::ArchiveByKey | Move::ArchiveByClick | Move::Delete | Move::Rename => {
                [pinned, active].concat()
            }
            Move::Pin => active,
            Move::Unpin => pinned,
            Move::MarkUnread => {
                let read = |n: &usize| !self.model.sessions[n].unread;
                [pinned, active].concat().into_iter().filter(read).collect()
            }
            Move::Unarchive => archived,
            Move::Restore => trash,
            // Not whom an Undo still means: it would rightly say that the session is gone.
            Move::DeletePermanently => archived.into_iter().filter(|n| !self.is_meant(*n)).collect(),
            Move::UndoByKey | Move::UndoByToast => self.undos.last().map(subject).into_iter().collect(),
        }
    }

    fn is_meant(&self, n: usize) -> bool {
        self.undos.iter().any(|undo| subject(undo) == n)
    }

    /// Makes the move if it can be made now. Answers whether it was.
    async fn make(&mut self, next: Move) -> bool {
        let candidates = self.candidates(next);
        let Some(n) = candidates.choose(&mut self.chance).copied() else { return false };
        let title = self.title(n);
        println!("{next:?} {title}");
        match next {
            Move::Unarchive | Move::Restore | Move::DeletePermanently => self.show_archived_page().await,
            Move::UndoByKey | Move::UndoByToast => {}
            _ => self.show_sessions().await,
        }
        let page = self.page();
        let step = match next {
            Move::ArchiveByMenu => {
                choose_for(page, &title, "Archive").await;
                Step::Archive(n)
            }
            Move::ArchiveByKey => {
                page.focus(&page.row(&title).await).await;
                page.press(&['e']).await;
                Step::Archive(n)
            }
            Move::ArchiveByClick => {
                page.ctrl_click(&page.row(&title).await).await;
                Step::Archive(n)
            }
            Move::Delete => {
                choose_for(page, &title, "Delete").await;
                page.find_holding("dialog", &title).await;
                page.click("button", "Delete").await;
                Step::Trash(n)
            }
            Move::Pin => {
                choose_for(page, &title, "Pin").await;
                Step::Pin(n, None)
            }
            Move::Unpin => {
                choose_for(page, &title, "Unpin").await;
                Step::Unpin(n)
            }
            Move::Rename => {
                let new = TITLES[self.titles_used];
                rename(page, &title, new).await;
                self.titles_used += 1;
                Step::Rename(n, Some(new.to_owned()))
            }
            Move::MarkUnread => {
                choose_for(page, &title, "Mark unread").await;
                Step::Mark(n, true)
            }
            Move::Unarchive => {
                press_in_row(page, &title, "Unarchive").await;
                Step::Unarchive(n, None)
            }
            Move::Restore => {
                press_in_row(page, &title, "Restore").await;
                Step::Restore(n, None)
            }
            Move::DeletePermanently => {
                press_in_row(page, &title, "Delete permanently").await;
                confirm_for_good(page, &title).await;
                Step::Purge(n)
            }
            Move::UndoByKey => {
                // In a text field the key takes back what was typed.
                page.run("document.activeElement?.blur()", &[]).await;
                page.press(&[Key::Control.into(), 'z']).await;
                return self.take_back();
            }
            Move::UndoByToast => {
                let said = match self.undos.last() {
                    Some(Step::Unarchive(..)) => "Archived",
                    Some(Step::Restore(..)) => "Deleted",
                    _ => "Restored",
                };
                press_undo(page, said, &title).await;
                return self.take_back();
            }
        };
        let before = self.model.clone();
        let done =
            self.model.apply(&step, SystemClock.now()).expect("the window offers only what is allowed");
        if let Some(undo) = before.undo(&step, &done) {
            self.undos.push(undo);
            if self.undos.len() > MOST_UNDO {
                self.undos.remove(0);
            }
        }
        true
    }

    fn take_back(&mut self) -> bool {
        let undo = self.undos.pop().expect("there was one");
        self.model.apply(&undo, SystemClock.now()).expect("nothing is in the way of the newest");
        true
    }

    async fn show_archived_page(&mut self) {
        if !self.on_archived_page {
            open_archived_page(self.page()).await;
            self.on_archived_page = true;
        }
    }

    async fn show_sessions(&mut self) {
        if self.on_archived_page {
            self.page().click("button", "Back to sessions").await;
            self.page().find("navigation", "Sidebar").await;
            self.on_archived_page = false;
        }
    }

    /// Waits until the page in view shows what the model says.
    async fn compare(&self, when: &str) {
        let Lists { pinned, active, archived, trash } = self.model.lists();
        let (script, lists) = if self.on_archived_page {
            (ARCHIVED_PAGE, [archived, trash])
        } else {
            (SIDEBAR, [pinned, active])
        };
        let lists = lists.map(|numbers| numbers.into_iter().map(session_id).collect::<Vec<_>>());
        self.page().wait_with(&format!("{lists:?} {when}"), script, &[json!(json!(lists).to_string())]).await;
    }
}

const SIDEBAR: &str = "const ids = (name) => {
        const tree = page.first('treegrid', name);
        return tree ? page.all('row', undefined, 'is', tree).map((row) => row.dataset.sessionId).filter(Boolean) : [];
    };
    return JSON.stringify([ids('Pinned'), ids('Sessions')]) === args[0]";

const ARCHIVED_PAGE: &str = "const ids = (name) => {
        const list = page.first('list', name);
        return list ? page.all('listitem', undefined, 'is', list).map((row) => row.dataset.sessionId) : [];
    };
    return JSON.stringify([ids('Archived sessions'), ids('Recently deleted')]) === args[0]";

/// The one whom a step of the window is about.
fn subject(step: &Step) -> usize {
    match step {
        Step::Archive(n)
        | Step::Unarchive(n, _)
        | Step::Trash(n)
        | Step::Restore(n, _)
        | Step::Purge(n)
        | Step::Pin(n, _)
        | Step::Unpin(n)
        | Step::Rename(n, _)
        | Step::Mark(n, _) => *n,
        Step::Bulk(..) => unreachable!("no step here is about many"),
    }
}

async fn rename(page: &Page, title: &str, new: &str) {
    page.focus(&page.row(title).await).await;
    page.press(&[Key::F2.into()]).await;
    let field = page.find("textbox", "Session title").await;
    let focused = "return document.activeElement === page.first('textbox', 'Session title')";
    page.wait_for("the focus in the field", focused).await;
    page.press(&[Key::Control.into(), 'a']).await;
    field.send_keys(new).await.expect("the field takes keys");
    page.press(&[Key::Enter.into()]).await;
    page.row(new).await;
}

async fn confirm_for_good(page: &Page, title: &str) {
    let confirm = "const dialog = page.first('dialog', args[0], 'holds');
        const button = dialog && page.all('button', 'Delete permanently', 'is', dialog)[0];
        if (!button) return false;
        button.click();
        return true";
    page.wait_with("the question's button", confirm, &[json!(title)]).await;
}

async fn press_undo(page: &Page, said: &str, title: &str) {
    let press = "const toast = page.all('status').map((status) => [page.text(status), status])
            .find(([text]) => text.startsWith(args[0]) && text.includes(args[1]))?.[1];
        const button = toast && page.all('button', 'Undo', 'starts', toast)[0];
        if (!button) return false;
        button.click();
        return true";
    let what = format!("the toast {said:?} of {title:?} with its Undo");
    page.wait_with(&what, press, &[json!(said), json!(title)]).await;
}

fn open(home: &Path) -> Store {
    let lock = OwnerLock::acquire(home).expect("the app has let it go");
    Store::open(home, lock, Arc::new(SystemClock)).expect("the store opens")
}

/// A home of eight sessions, and the model of it.
async fn prepared(home: &Path) -> Model {
    let store = open(home);
    let mut model = Model::default();
    for (n, title) in (1..=SESSIONS).zip(TITLES) {
        let (title, last_active) = (Some((*title).to_owned()), NOON + n as i64 * 60_000);
        let lineage = NewLineage { title: title.clone(), ..chat(n, last_active, &["x"]) };
        store.lineage_put(Arc::new(lineage)).await.expect("the store takes it");
        model.sessions.insert(n, model::Session { title, ..model::Session::new(last_active, 0) });
    }
    store.close().await;
    model
}

#[tokio::test]
async fn fifty_steps_in_the_window_leave_every_session_in_exactly_one_list() {
    println!("seed {SEED}");
    let stage = Stage::new();
    let model = prepared(&stage.talaria_home()).await;
    let mut day = Afternoon {
        app: open_app(&stage).await,
        model,
        chance: StdRng::seed_from_u64(SEED),
        undos: Vec::new(),
        titles_used: SESSIONS,
        on_archived_page: false,
    };
    let mut made = 0;
    while made < STEPS {
        let fixed = FIRST.get(made).copied();
        let next = fixed.unwrap_or_else(|| ANY[day.chance.random_range(0..ANY.len())]);
        if !day.make(next).await {
            assert!(fixed.is_none(), "{next:?} cannot be made");
            continue;
        }
        made += 1;
        day.compare(&format!("after step {made}, {next:?}")).await;
        if made == RESTART_AFTER {
            day.app.close().await;
            day.app = open_app(&stage).await;
            day.on_archived_page = false;
            // What can be taken back is the window's own.
            day.undos.clear();
            day.compare("after a restart").await;
        }
    }
    day.show_sessions().await;
    day.compare("at the end").await;
    day.show_archived_page().await;
    day.compare("at the end").await;
    day.app.close().await;

    let store = open(&stage.talaria_home());
    let mut seen = Lists::default();
    let mut rows = Vec::new();
    for (pinned, archived, list) in [
        (Some(true), ArchivedFilter::Exclude, &mut seen.pinned),
        (Some(false), ArchivedFilter::Exclude, &mut seen.active),
        (None, ArchivedFilter::Only, &mut seen.archived),
    ] {
        let request = SessionListRequest { pinned, archived, ..SessionListRequest::default() };
        let found = store.session_list(request).await.expect("a list").rows;
        *list = found.iter().map(|row| number(&row.id)).collect();
        rows.extend(found);
    }
    let trash = store.trash_list(TrashListRequest::default()).await.expect("the trash").rows;
    seen.trash = trash.iter().map(|row| number(&row.id)).collect();
    rows.extend(trash);
    assert_eq!(seen, day.model.lists());
    assert_eq!(rows.len(), day.model.sessions.len());
    for row in rows {
        let session = &day.model.sessions[&number(&row.id)];
        assert_eq!((&row.title, row.unread), (&session.title, session.unread), "{}", row.id.as_str());
    }
    assert!(store.counts_hold().await.expect("a check"));
    store.close().await;
}

fn number(id: &SessionId) -> usize {
    id.as_str().trim_start_matches("session-").parse().expect("a number")
}
