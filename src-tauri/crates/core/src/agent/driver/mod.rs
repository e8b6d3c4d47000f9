//! Runs a turn: does what the machine ([`turn`](super::turn)) asks for, by the ports, and tells it what happened. It
//! decides nothing. Rows are written one after the other, in the machine's order; requests, tools and questions run as
//! tasks of their own, and all end with the turn.
//!
//! Called by `gateway`, once for each turn of a live session, never two at a time.

#[cfg(test)]
mod stand_in;
mod tasks;
#[cfg(test)]
mod tests;

use super::outbox::Outbox;
use super::ports::{Approver, Audience, Ledger, Model, ToolPlace, ToolSpec, Tools};
use super::project_file;
pub use super::turn::{HowEnded, Opening, TurnEnd};

use super::compress as summary;
use super::turn::{self, Effect, Event, Ticket, Turn};
use crate::clock::Clock;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use talaria_wire::{IpcError, Millis, Usage};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Streamed text goes to the audience at most this late: two frames of a display.
const FLUSH: Duration = Duration::from_millis(33);
/// What came of an answer is kept on disk this often.
const KEEP: Duration = Duration::from_millis(500);
/// A folder on a disk that does not answer does not hold the turn up.
const PROJECT_FILE: Duration = Duration::from_secs(2);

/// The outside of a turn.
#[derive(Clone)]
pub struct Ports {
    /// `None`: no model is connected; only commands run.
    pub model: Option<Arc<dyn Model>>,
    pub tools: Arc<dyn Tools>,
    pub ledger: Arc<dyn Ledger>,
    pub audience: Arc<dyn Audience>,
    pub approver: Arc<dyn Approver>,
    pub clock: Arc<dyn Clock>,
}

/// What a turn starts with. The prompt is stored already.
#[derive(Clone, Debug)]
pub struct Setup {
    pub opening: Opening,
    /// When the turn began.
    pub since: Millis,
    pub place: ToolPlace,
    /// The model's name at its server; not read for a command.
    pub model: String,
    /// The session's use so far; with the model's context, when known.
    pub usage: Usage,
    /// In the currency of the prices.
    pub cost_limit: Option<f64>,
}

/// Runs a turn to its end. `steer` takes texts of the user for the turn under way; what no request took is the end's
/// `leftover`, and after the end sending fails: such a text is the caller's to queue. `stop` ends the turn soon.
///
/// The audience hears text, reasoning, calls, output, usage, waiting, and the states `Compressing` and, after it,
/// `Running`. Rows are told of by the ledger, questions by the approver; that the turn began and how it ended (the answer
/// of this function) is the caller's to tell.
///
/// Dropped before its end, it ends everything that it started.
pub async fn run(
    ports: Ports,
    setup: Setup,
    mut steer: mpsc::UnboundedReceiver<String>,
    stop: CancellationToken,
) -> TurnEnd {
    let (say, mut heard) = mpsc::channel(64);
    let mut driver = Driver::new(ports, setup, say).await;
    let mut keep = tokio::time::interval_at(Instant::now() + KEEP, KEEP);
    keep.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut stopped = false;
    let mut event = Event::Begin;
    let mut end = loop {
        if let Some(end) = driver.take(event).await {
            break end;
        }
        event = loop {
            let flush_at = driver.flush_at;
            tokio::select! {
                biased;
                () = stop.cancelled(), if !stopped => {
                    stopped = true;
                    break Event::Stop;
                }
                () = tokio::time::sleep_until(flush_at.unwrap_or_else(Instant::now)), if flush_at.is_some() => {
                    driver.flush();
                }
                _ = keep.tick() => break Event::Tick,
                Some(text) = steer.recv() => break Event::Steer(text),
                Some(event) = heard.recv() => break event,
            }
        };
    };
    steer.close();
    let mut late: Vec<String> = end.leftover.take().into_iter().collect();
    while let Ok(text) = steer.try_recv() {
        late.push(text);
    }
    end.leftover = (!late.is_empty()).then(|| late.join("\n\n"));
    end
}

/// Sums the session up at the user's wish; `focus` is to be kept above all. The end's problem says why it did not.
pub async fn compress(ports: Ports, setup: Setup, focus: Option<String>, stop: CancellationToken) -> TurnEnd {
    let wish = summary::Wish { model: setup.model, context_max: setup.usage.context_max, focus };
    let done = match &ports.model {
        Some(model) => summary::run(&**model, &*ports.ledger, wish, stop.clone()).await,
        None => Err(tasks::no_model().message),
    };
    let (how, problem) = match done {
        Ok(_) => (HowEnded::Done, None),
        Err(_) if stop.is_cancelled() => (HowEnded::Stopped, None),
        Err(words) => (HowEnded::Failed, Some(turn::not_compressed(&words))),
    };
    TurnEnd { how, problem, leftover: None }
}

struct Driver {
    ports: Ports,
    model: String,
    place: ToolPlace,
    specs: Vec<ToolSpec>,
    /// The text of the workspace's own file.
    project: Option<String>,
    context_max: Option<i64>,
    turn: Turn,
    outbox: Outbox,
    flush_at: Option<Instant>,
    say: mpsc::Sender<Event>,
    cancel: CancellationToken,
    tasks: JoinSet<()>,
    /// Ends what the tasks have started, too, when the driver is dropped.
    _ended: DropGuard,
}

impl Driver {
    async fn new(ports: Ports, start: Setup, say: mpsc::Sender<Event>) -> Self {
        let specs = ports.tools.specs(&start.place);
        let setup = turn::Setup {
            opening: start.opening,
            since: start.since,
            usage: start.usage,
            cost_limit: start.cost_limit,
            tools: specs.iter().map(|spec| spec.name.to_owned()).collect(),
            seed: format!("{:012x}", rand::random::<u64>() >> 16),
        };
        let cancel = CancellationToken::new();
        Self {
            project: project(&start.place).await,
            model: start.model,
            place: start.place,
            specs,
            context_max: start.usage.context_max,
            turn: Turn::new(setup),
            outbox: Outbox::default(),
            flush_at: None,
            say,
            _ended: cancel.clone().drop_guard(),
            cancel,
            tasks: JoinSet::new(),
            ports,
        }
    }

    /// Takes an event and does what follows from it.
    async fn take(&mut self, event: Event) -> Option<TurnEnd> {
        let mut events = VecDeque::from([event]);
        while let Some(event) = events.pop_front() {
            match &event {
                Event::Compressed { session, .. } => self.place.session = session.clone(),
                Event::Counted(usage) => self.context_max = usage.context_max,
                _ => {}
            }
            for effect in self.turn.on(event, self.ports.clock.now()) {
                if let Effect::End(end) = effect {
                    self.flush();
                    return Some(end);
                }
                events.extend(self.act(effect).await);
            }
        }
        while self.tasks.try_join_next().is_some() {}
        None
    }

    async fn act(&mut self, effect: Effect) -> Option<Event> {
        let ledger = self.ports.ledger.clone();
        match effect {
            Effect::Answer { ticket, row } => {
                self.flush();
                Some(stored(ticket, ledger.answer(row).await))
            }
            Effect::Result { ticket, row } => {
                self.flush();
                Some(stored(ticket, ledger.result(row).await))
            }
            Effect::Steered { ticket, text } => {
                self.flush();
                Some(stored(ticket, ledger.steered(&text).await))
            }
            Effect::Partial { text, reasoning } => {
                if let Err(error) = ledger.partial(&text, &reasoning).await {
                    tracing::warn!(%error, "the answer under way could not be kept");
                }
                None
            }
            Effect::Count { input, output } => match ledger.used(input, output).await {
                Ok(usage) => Some(Event::Counted(usage)),
                Err(error) => {
                    tracing::warn!(%error, "the use of a request could not be added");
                    None
                }
            },
            Effect::Tell(change) => {
                self.outbox.put(change);
                if self.outbox.is_full() {
                    self.flush();
                } else {
                    self.flush_at.get_or_insert_with(|| Instant::now() + FLUSH);
                }
                None
            }
            Effect::Cancel => {
                self.cancel.cancel();
                None
            }
            Effect::Ask { ticket } => self.ask(ticket),
            Effect::Wait { ticket, ms } => self.wait(ticket, ms),
            Effect::Judge { ticket, call } => self.judge(ticket, call),
            Effect::Approve { ticket, call, text, always } => {
                self.flush();
                self.approve(ticket, call, text, always)
            }
            Effect::Run { ticket, call } => self.run(ticket, call),
            Effect::Compress { ticket } => self.compress(ticket),
            Effect::End(_) => None,
        }
    }

    fn flush(&mut self) {
        self.flush_at = None;
        for change in self.outbox.take() {
            self.ports.audience.tell(change);
        }
    }
}

fn stored(ticket: Ticket, done: Result<(), IpcError>) -> Event {
    match done {
        Ok(()) => Event::Stored { ticket },
        Err(error) => Event::NotStored { ticket, error },
    }
}

async fn project(place: &ToolPlace) -> Option<String> {
    let folder = place.folder.clone()?;
    let reading = tokio::task::spawn_blocking(move || project_file::read(&folder));
    tokio::time::timeout(PROJECT_FILE, reading).await.ok()?.ok()?
}
