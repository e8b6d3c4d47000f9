//! What a turn is told and what it asks for, as data.

use crate::agent::ports::{AnswerRow, Judgement, ModelError, ModelPiece, ResultRow, ToolOutcome};
use std::collections::HashSet;
use talaria_wire::{ApprovalChoice, IpcError, LiveChange, Millis, SessionId, ToolCall, TurnProblem, Usage};

/// Names one effect that wants an answer. Never used twice in a turn: an answer that comes late or twice finds nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub(super) u64);

/// What a turn starts with.
#[derive(Clone, Debug, PartialEq)]
pub enum Opening {
    /// The transcript ends with something to answer: a prompt, or what a Retry goes on from.
    Ask,
    /// A command that the user typed: run as it is, without a model and without a question.
    Command(String),
}

/// Something happened. The first is [`Event::Begin`].
#[derive(Clone, Debug)]
pub enum Event {
    Begin,
    /// The request is about to go out. `tokens`: its estimated length; `call_ids`: the calls in its transcript.
    Built {
        ticket: Ticket,
        tokens: i64,
        call_ids: HashSet<String>,
    },
    Piece {
        ticket: Ticket,
        piece: ModelPiece,
    },
    /// The stream came to its end.
    Answered {
        ticket: Ticket,
    },
    /// The request failed, or its stream.
    Failed {
        ticket: Ticket,
        error: ModelError,
    },
    /// The time of [`Effect::Wait`] is over.
    Waited {
        ticket: Ticket,
    },
    Stored {
        ticket: Ticket,
    },
    NotStored {
        ticket: Ticket,
        error: IpcError,
    },
    Judged {
        ticket: Ticket,
        judgement: Judgement,
    },
    Approved {
        ticket: Ticket,
        choice: ApprovalChoice,
    },
    Output {
        ticket: Ticket,
        text: String,
    },
    Ran {
        ticket: Ticket,
        outcome: ToolOutcome,
        duration_ms: Millis,
    },
    /// The session goes on in this child.
    Compressed {
        ticket: Ticket,
        session: SessionId,
    },
    NotCompressed {
        ticket: Ticket,
        words: String,
    },
    /// The session's use after [`Effect::Count`].
    Counted(Usage),
    /// A text of the user for the turn under way.
    Steer(String),
    Stop,
    /// Time has passed: what came may be kept.
    Tick,
}

/// What is to be done. Those with a ticket are answered once, by an event with the same ticket.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Send the transcript as it stands to the model: `Built`, then `Piece`s, then `Answered` or `Failed`. At most one is
    /// open; a new one, [`Effect::Cancel`] and [`Effect::End`] take the place of the old.
    Ask {
        ticket: Ticket,
    },
    Wait {
        ticket: Ticket,
        ms: Millis,
    },
    Answer {
        ticket: Ticket,
        row: AnswerRow,
    },
    Result {
        ticket: Ticket,
        row: ResultRow,
    },
    Steered {
        ticket: Ticket,
        text: String,
    },
    /// Keep what came so far, for the case of a crash. Not answered.
    Partial {
        text: String,
        reasoning: String,
    },
    /// Add one request's tokens to the session: `Counted`.
    Count {
        input: i64,
        output: i64,
    },
    Judge {
        ticket: Ticket,
        call: ToolCall,
    },
    Approve {
        ticket: Ticket,
        call: ToolCall,
        text: String,
        always: bool,
    },
    Run {
        ticket: Ticket,
        call: ToolCall,
    },
    /// Sum the session up and go on in a child: `Compressed` or `NotCompressed`.
    Compress {
        ticket: Ticket,
    },
    /// Everything under way is to end soon: the request, tools, approvals, waiting, the summary.
    Cancel,
    Tell(LiveChange),
    /// The last effect.
    End(TurnEnd),
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HowEnded {
    Done,
    /// By the user.
    Stopped,
    Failed,
}

/// The end of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnEnd {
    pub how: HowEnded,
    /// For the card. Also after a turn that is `Done`, when something less than the turn went wrong.
    pub problem: Option<TurnProblem>,
    /// Steer text that no request took: the next prompt.
    pub leftover: Option<String>,
}
