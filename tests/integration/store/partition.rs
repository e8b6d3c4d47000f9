//! Every session is in exactly one place, whatever is done to it, and the counts say so: 2,000 random steps on a real
//! store beside the same steps in the [model](app_tests::model).

use super::*;
use app_tests::home::DAY;
use app_tests::model::{Done, Lists, Model, Place, Session, Step, Target};
use proptest::prelude::*;
use talaria_core::store::SweepCause;

/// At the beginning.
const SESSIONS: usize = 16;
/// Numbers up to this are spoken of; some are not there yet, and some not any more.
const NUMBERS: usize = 24;
const CASES: u32 = 8;
const STEPS: usize = 250;
const FOLDERS: usize = 3;

#[derive(Clone, Debug)]
enum Move {
    Step(Step),
    /// The last thing done that can be taken back.
    Undo,
    Sweep(u32),
    Add,
    /// So many hours pass.
    Wait(i64),
    Restart,
}

fn steps() -> impl Strategy<Value = Move> {
    prop_oneof![
        30 => single().prop_map(Move::Step),
        12 => bulk().prop_map(Move::Step),
        12 => Just(Move::Undo),
        3 => (1..40_u32).prop_map(Move::Sweep),
        4 => Just(Move::Add),
        2 => (1..80_i64).prop_map(Move::Wait),
        2 => Just(Move::Restart),
    ]
}

fn single() -> impl Strategy<Value = Step> {
    let n = 1..=NUMBERS;
    let rank = prop::option::of(-3..4_i64);
    let title = prop::option::of((1..4_usize).prop_map(|title| format!("title {title}")));
    prop_oneof![
        4 => n.clone().prop_map(Step::Archive),
        3 => n.clone().prop_map(|n| Step::Unarchive(n, None)),
        3 => n.clone().prop_map(Step::Trash),
        3 => n.clone().prop_map(|n| Step::Restore(n, None)),
        1 => n.clone().prop_map(Step::Purge),
        5 => (n.clone(), rank).prop_map(|(n, rank)| Step::Pin(n, rank)),
        1 => n.clone().prop_map(Step::Unpin),
        3 => (n.clone(), title).prop_map(|(n, title)| Step::Rename(n, title)),
        1 => (n, any::<bool>()).prop_map(|(n, unread)| Step::Mark(n, unread)),
    ]
}

fn bulk() -> impl Strategy<Value = Step> {
    let target = prop_oneof![
        5 => prop::collection::vec(1..=NUMBERS, 0..10).prop_map(Target::Ids),
        2 => (0..=FOLDERS).prop_map(Target::Folder),
        1 => (1..40_u32).prop_map(Target::Swept),
    ];
    let action = prop_oneof![
        4 => Just(BulkAction::Archive),
        4 => Just(BulkAction::Unarchive),
        3 => Just(BulkAction::Trash),
        4 => Just(BulkAction::Restore),
        1 => Just(BulkAction::Purge),
        1 => Just(BulkAction::MarkRead),
        1 => Just(BulkAction::MarkUnread),
    ];
    (target, action).prop_map(|(target, action)| {
        // Purging a whole group each time would leave nothing to do the rest to.
        let target = match (target, action) {
            (Target::Folder(folder), BulkAction::Purge) => Target::Ids(vec![folder + 1]),
            (target, _) => target,
        };
        Step::Bulk(target, action, Vec::new())
    })
}

/// The store and its model, and what the user could take back.
struct Pair {
    home: Option<TempHome>,
    model: Model,
    added: usize,
    undos: Vec<Step>,
    /// The lists before the last step, when that is the one to be taken back.
    before: Option<Lists>,
}

impl Pair {
    async fn new() -> Self {
        let home = Some(TempHome::new());
        let mut pair = Self { home, model: Model::default(), added: 0, undos: Vec::new(), before: None };
        for _ in 0..SESSIONS {
            pair.add().await;
        }
        pair
    }

    fn home(&self) -> &TempHome {
        self.home.as_ref().expect("it is only away while it is opened again")
    }

    fn now(&self) -> Millis {
        use talaria_core::clock::Clock;
        self.home().clock.now()
    }

    /// One more session, of the last 45 days.
    async fn add(&mut self) {
        self.added += 1;
        let n = self.added;
        // Spread over the days, and no two at once.
        let last_active = NOON - (n as i64 * 7 % 45) * DAY + n as i64;
        let folder = n % FOLDERS;
        let lineage = chat(n, last_active, &["x"]);
        let lineage = if folder == 0 { lineage } else { in_folder(lineage, &path(folder)) };
        put(self.home(), [lineage]).await;
        self.model.sessions.insert(n, Session::new(last_active, folder));
    }

    async fn go(&mut self, next: &Move) -> Result<(), TestCaseError> {
        let before = self.before.take();
        self.home().clock.advance(1000);
        match next {
            Move::Step(step) => {
                let old = self.model.clone();
                let done = self.step(step).await?;
                // A pinned row that was moved has no step back by its rank alone.
                if let Some(undo) = done.and_then(|done| old.undo(step, &done)) {
                    self.undos.push(undo);
                    self.before = Some(old.lists());
                }
            }
            Move::Undo => {
                if let Some(undo) = self.undos.pop() {
                    self.step(&undo).await?;
                    if let Some(before) = before {
                        same_but_for_the_order_of_the_trash(&self.model.lists(), &before, &undo)?;
                    }
                }
            }
            Move::Sweep(days) => self.sweep(*days).await?,
            Move::Add => {
                if self.model.sessions.len() < NUMBERS {
                    self.add().await;
                }
            }
            Move::Wait(hours) => self.home().clock.advance(hours * 60 * 60 * 1000),
            Move::Restart => {
                // Over a week in one run looks like a jump of the clock, after which nothing is deleted.
                let home = self.home.take().expect("it is here");
                self.home = Some(home.reopened().await);
                let now = self.now();
                if self.home().store.clock_jump_days().is_none() {
                    self.model.expire(now);
                }
            }
        }
        self.compare(next).await
    }

    async fn step(&mut self, step: &Step) -> Result<Option<Done>, TestCaseError> {
        let expected = self.model.apply(step, self.now());
        let done = run(&self.home().store, step).await;
        match (&expected, &done) {
            (Some(expected), Ok(Some(done))) => prop_assert_eq!(done, expected, "{:?}", step),
            (Some(_), Ok(None)) | (None, Err(_)) => {}
            _ => prop_assert!(false, "{:?}: {:?}, not {:?}", step, done, expected),
        }
        Ok(expected)
    }

    async fn sweep(&mut self, days: u32) -> Result<(), TestCaseError> {
        let store = self.home().store.clone();
        let patch = SettingsPatch { archive_after_days: Some(days), ..SettingsPatch::default() };
        store.settings_update(patch).await.expect("settings");
        let preview = store.sweep_preview(SweepPreviewRequest { days }, Vec::new()).await.expect("a preview");
        let swept = store.sweep(SweepCause::Asked, Vec::new()).await.expect("a run");
        let taken = self.model.sweep(days, swept.map_or(0, |swept| swept.at), self.now());
        prop_assert_eq!(swept.map_or(0, |swept| swept.count), taken.len() as i64);
        prop_assert_eq!(preview.archives, taken.len() as i64);
        if let Some(swept) = swept {
            self.undos.push(Step::Bulk(Target::SweptAt(swept.at), BulkAction::Unarchive, Vec::new()));
        }
        Ok(())
    }

    async fn compare(&self, last: &Move) -> Result<(), TestCaseError> {
        let store = &self.home().store;
        let page = |archived, pinned| {
            let request =
                SessionListRequest { archived, pinned, limit: 500, ..SessionListRequest::default() };
            async move { store.session_list(request).await.expect("a list") }
        };
        let pinned = page(ArchivedFilter::Exclude, Some(true)).await;
        let active = page(ArchivedFilter::Exclude, Some(false)).await;
        let archived = page(ArchivedFilter::Only, None).await;
        let trash = store.trash_list(TrashListRequest::default()).await.expect("the trash");
        let seen = Lists {
            pinned: numbers(&pinned.rows),
            active: numbers(&active.rows),
            archived: numbers(&archived.rows),
            trash: numbers(&trash.rows),
        };
        prop_assert_eq!(&seen, &self.model.lists(), "{:?}", last);
        let rows = [pinned.rows, active.rows, archived.rows, trash.rows].concat();
        // Each is in one list only, and all are in one: as many rows as sessions, and none is there twice.
        prop_assert_eq!(rows.len(), self.model.sessions.len());
        for (n, row) in numbers(&rows).into_iter().zip(&rows) {
            let session = &self.model.sessions[&n];
            prop_assert_eq!(&row.title, &session.title, "{} after {:?}", n, last);
            prop_assert_eq!(
                (row.unread, row.pin_rank),
                (session.unread, session.pin),
                "{} after {:?}",
                n,
                last
            );
            prop_assert_eq!(row.archived, session.archived, "{} after {:?}", n, last);
        }
        let count = |place| self.model.sessions.values().filter(|s| s.place == place).count() as i64;
        let counts = store.counts().await.expect("counts");
        prop_assert_eq!(
            (counts.active, counts.archived, counts.trash),
            (count(Place::Active), count(Place::Archived), count(Place::Trash))
        );
        prop_assert_eq!(counts.pinned, seen.pinned.len() as i64);
        prop_assert!(store.counts_hold().await.expect("a check"), "{:?}", last);
        Ok(())
    }
}

/// What was restored and then deleted again is deleted later than before.
fn same_but_for_the_order_of_the_trash(
    now: &Lists,
    before: &Lists,
    undo: &Step,
) -> Result<(), TestCaseError> {
    let sorted = |lists: &Lists| {
        let mut lists = lists.clone();
        lists.trash.sort_unstable();
        lists
    };
    prop_assert_eq!(sorted(now), sorted(before), "taken back by {:?}", undo);
    Ok(())
}

fn path(folder: usize) -> String {
    if folder == 0 { String::new() } else { format!("/home/user/project-{folder}") }
}

/// Does the step to the store. Only a bulk step says what it did.
async fn run(store: &talaria_core::store::Store, step: &Step) -> Result<Option<Done>, StoreError> {
    let update = |n, title: Option<&Option<String>>, archived, pin_rank| SessionUpdateRequest {
        id: session_id(n),
        title: title.map(|title| title.clone().unwrap_or_default()),
        archived,
        pin_rank,
    };
    match step {
        Step::Archive(n) => {
            let answer = store.session_update(update(*n, None, Some(true), None)).await?;
            assert!(answer.row.archived && !answer.row.pinned);
        }
        Step::Unarchive(n, rank) => {
            store.session_update(update(*n, None, Some(false), *rank)).await?;
        }
        Step::Trash(n) => {
            store.session_delete(delete(*n, DeleteMode::Trash)).await?;
        }
        Step::Restore(n, pin_rank) => {
            store.session_restore(SessionRestoreRequest { id: session_id(*n), pin_rank: *pin_rank }).await?;
        }
        Step::Purge(n) => {
            store.session_delete(delete(*n, DeleteMode::Purge)).await?;
        }
        Step::Pin(n, rank) => {
            store.session_pin(pin(*n, *rank)).await?;
        }
        Step::Unpin(n) => {
            store.session_pin(SessionPinRequest { pinned: false, ..pin(*n, None) }).await?;
        }
        Step::Rename(n, title) => {
            store.session_update(update(*n, Some(title), None, None)).await?;
        }
        Step::Mark(n, unread) => {
            store.session_mark(SessionMarkRequest { id: session_id(*n), unread: *unread }).await?;
        }
        Step::Bulk(target, action, pins) => {
            let target = match target {
                Target::Ids(ids) => BulkTarget::Ids { ids: ids.iter().copied().map(session_id).collect() },
                Target::Folder(folder) => BulkTarget::Workspace { folder: path(*folder) },
                Target::Swept(days) => BulkTarget::Swept { days: *days },
                Target::SweptAt(at) => BulkTarget::SweptAt { at: *at },
            };
            let pins = pins.iter().map(|(n, rank)| PinPlace { id: session_id(*n), rank: *rank }).collect();
            let answer =
                store.session_bulk(SessionBulkRequest { target, action: *action, pins: Some(pins) }).await?;
            return Ok(Some(Done {
                changed: answer.done.iter().map(number).collect(),
                pins: answer.pins.iter().map(|pin| (number(&pin.id), pin.rank)).collect(),
                refused: answer.refused.iter().map(|refusal| number(&refusal.id)).collect(),
            }));
        }
    }
    Ok(None)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_lists_are_always_all_sessions_through_two_thousand_steps(
        steps in prop::collection::vec(steps(), STEPS)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let mut pair = Pair::new().await;
            for step in &steps {
                pair.go(step).await?;
            }
            Ok::<(), TestCaseError>(())
        })?;
    }
}
