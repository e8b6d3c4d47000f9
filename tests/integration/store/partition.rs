//! Every lineage is in exactly one place, whatever is done to it, and the counts say so.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

const SESSIONS: usize = 6;

#[derive(Clone, Debug)]
enum Step {
    Archive(usize, bool),
    Trash(usize),
    Restore(usize),
    Purge(usize),
    Pin(usize, bool),
    Rename(usize, usize),
}

fn step() -> impl Strategy<Value = Step> {
    let n = 1..=SESSIONS;
    prop_oneof![
        3 => (n.clone(), any::<bool>()).prop_map(|(n, archived)| Step::Archive(n, archived)),
        2 => n.clone().prop_map(Step::Trash),
        2 => n.clone().prop_map(Step::Restore),
        1 => n.clone().prop_map(Step::Purge),
        2 => (n.clone(), any::<bool>()).prop_map(|(n, pinned)| Step::Pin(n, pinned)),
        2 => (n, 0..4_usize).prop_map(|(n, title)| Step::Rename(n, title)),
    ]
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Model {
    archived: bool,
    trashed: bool,
    pinned: bool,
    title: Option<String>,
}

/// The rules of the specification in their plainest form. `None`: the step is refused.
fn apply(model: &mut BTreeMap<usize, Model>, step: &Step) -> Option<()> {
    match *step {
        Step::Archive(n, archived) => {
            let session = model.get_mut(&n).filter(|session| !session.trashed)?;
            session.archived = archived;
            session.pinned &= !archived;
        }
        Step::Trash(n) => {
            if let Some(session) = model.get_mut(&n) {
                session.trashed = true;
                session.pinned = false;
            }
        }
        Step::Restore(n) => {
            let title = model.get(&n)?.title.clone();
            if model[&n].trashed {
                let title = title.map(|title| numbered(model, n, &title));
                let session = model.get_mut(&n)?;
                (session.trashed, session.title) = (false, title);
            }
        }
        Step::Purge(n) => {
            model.remove(&n);
        }
        Step::Pin(n, pinned) => {
            let session = model.get_mut(&n).filter(|session| !session.trashed)?;
            if pinned && session.archived {
                return None;
            }
            session.pinned = pinned;
        }
        Step::Rename(n, title) => {
            let title = title_text(title);
            model.get(&n).filter(|session| !session.trashed)?;
            if title.as_ref().is_some_and(|title| is_taken(model, n, title)) {
                return None;
            }
            model.get_mut(&n)?.title = title;
        }
    }
    Some(())
}

fn title_text(title: usize) -> Option<String> {
    (title > 0).then(|| format!("title {title}"))
}

fn is_taken(model: &BTreeMap<usize, Model>, n: usize, title: &str) -> bool {
    model
        .iter()
        .any(|(other, session)| *other != n && !session.trashed && session.title.as_deref() == Some(title))
}

fn numbered(model: &BTreeMap<usize, Model>, n: usize, title: &str) -> String {
    if !is_taken(model, n, title) {
        return title.to_owned();
    }
    let base = title.split(" #").next().unwrap_or(title);
    (2..).map(|k| format!("{base} #{k}")).find(|title| !is_taken(model, n, title)).expect("a free number")
}

async fn run(home: &TempHome, step: &Step) -> Result<(), StoreError> {
    let store = &home.store;
    match *step {
        Step::Archive(n, archived) => store.session_update(archive(n, archived)).await.map(drop),
        Step::Trash(n) => store.session_delete(delete(n, DeleteMode::Trash)).await.map(drop),
        Step::Restore(n) => store.session_restore(restore(n)).await.map(drop),
        Step::Purge(n) => store.session_delete(delete(n, DeleteMode::Purge)).await.map(drop),
        Step::Pin(n, pinned) => {
            store.session_pin(SessionPinRequest { pinned, ..pin(n, None) }).await.map(drop)
        }
        Step::Rename(n, title) => {
            store.session_update(rename(n, &title_text(title).unwrap_or_default())).await.map(drop)
        }
    }
}

/// What the store shows, in the model's terms; a session in two lists would be counted twice.
async fn shown(home: &TempHome) -> (BTreeMap<usize, Model>, usize, SessionCounts) {
    let include = SessionListRequest { archived: ArchivedFilter::Include, ..SessionListRequest::default() };
    let listed = list(home, include).await;
    let trash = home.store.trash_list(TrashListRequest::default()).await.expect("the trash");
    let rows: Vec<SessionRow> = listed.rows.into_iter().chain(trash.rows).collect();
    let model = numbers(&rows).into_iter().zip(&rows).map(|(n, row)| {
        let trashed = row.deleted_at.is_some();
        (n, Model { archived: row.archived, trashed, pinned: row.pinned, title: row.title.clone() })
    });
    (model.collect(), rows.len(), listed.counts)
}

fn check(steps: Vec<Step>) -> Result<(), TestCaseError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let home = TempHome::new();
        let mut model = BTreeMap::new();
        for n in 1..=SESSIONS {
            put(&home, [chat(n, NOON + n as i64, &["x"])]).await;
            let session = Model { archived: false, trashed: false, pinned: false, title: None };
            model.insert(n, session);
        }
        for step in steps {
            let allowed = apply(&mut model, &step).is_some();
            let done = run(&home, &step).await;
            prop_assert_eq!(done.is_ok(), allowed, "{:?}: {:?}", step, done);
            let (seen, rows, counts) = shown(&home).await;
            prop_assert_eq!(&seen, &model, "{:?}", step);
            prop_assert_eq!(rows, model.len(), "each in one list");
            let total = counts.active + counts.archived + counts.trash;
            prop_assert_eq!(total, model.len() as i64);
            prop_assert_eq!(counts.pinned, model.values().filter(|session| session.pinned).count() as i64);
            prop_assert!(home.store.counts_hold().await.expect("a check"));
        }
        home.store.close().await;
        Ok(())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn active_archived_and_trash_are_always_all(steps in prop::collection::vec(step(), 1..60)) {
        check(steps)?;
    }
}
