//! Keeps every event short. From 8 KiB on Tauri's channel fetches the payload by another path, where one failure stalls
//! the stream for good (security.md, "Channels"); so an event holds ids, states and at most 4 KiB of text, and the page
//! reads the rest by command. Texts come from paths, titles and other people's stores: none has a length of its own.
//!
//! Pure. All lengths are bytes of JSON, in which a letter may take six.

use talaria_wire::{
    AppEvent, BootStatus, ExportReport, ExportStatus, ImportProgress, ImportReport, ImportStatus, IpcError,
    LiveChange, RecoveryReport, RecoveryStatus, SaveStatus, SessionId,
};
use unicode_segmentation::UnicodeSegmentation;

/// The length that no event reaches, its envelope included, in bytes of JSON.
pub const EVENT_LIMIT: usize = 8 * 1024;

/// A path, or one line of a log.
const PATH: usize = 1024;
/// What went wrong and what to do.
const MESSAGE: usize = 1024;
/// The title of a session.
const TITLE: usize = 512;
/// All lines of a log together.
const LOG: usize = 2048;
/// A change of a live session.
const LIVE: usize = 7 * 1024;
/// All ids together.
const IDS: usize = 4096;

/// The event with what is too long cut or left out.
pub fn fit(event: AppEvent) -> AppEvent {
    match event {
        AppEvent::BootChanged { status } => AppEvent::BootChanged { status: boot(status) },
        AppEvent::SessionsChanged { ids } => AppEvent::SessionsChanged { ids: sessions(ids) },
        AppEvent::ImportChanged { status } => AppEvent::ImportChanged { status: import(status) },
        AppEvent::ExportChanged { status } => AppEvent::ExportChanged { status: export(status) },
        AppEvent::SaveChanged { id, status } => AppEvent::SaveChanged { id, status: save(status) },
        AppEvent::RecoveryChanged { status } => AppEvent::RecoveryChanged { status: recovery(status) },
        AppEvent::LiveChanged { live_id, rev, change } => {
            AppEvent::LiveChanged { live_id, rev, change: live(change) }
        }
        AppEvent::SessionMoved { .. }
        | AppEvent::SessionWanted { .. }
        | AppEvent::QuitAsked
        | AppEvent::SessionsSwept { .. } => event,
    }
}

/// A change is never cut, which would lose text in silence: one that is too long asks the page to read the whole.
fn live(change: LiveChange) -> LiveChange {
    match serde_json::to_string(&change) {
        Ok(json) if json.len() <= LIVE => change,
        _ => LiveChange::Refetch,
    }
}

fn boot(mut status: BootStatus) -> BootStatus {
    status.home = cut(status.home, PATH);
    if status.failure.is_some() {
        // Nothing is open then, so nothing is open for reading only.
        status.trouble = None;
    }
    if let Some(trouble) = &mut status.trouble {
        trouble.message = cut(std::mem::take(&mut trouble.message), MESSAGE);
        trouble.path = cut(std::mem::take(&mut trouble.path), PATH);
        trouble.found = newest(std::mem::take(&mut trouble.found));
    }
    if let Some(failure) = &mut status.failure {
        failure.message = cut(std::mem::take(&mut failure.message), MESSAGE);
        failure.log = newest(std::mem::take(&mut failure.log));
    }
    status
}

fn export(status: ExportStatus) -> ExportStatus {
    match status {
        ExportStatus::Idle | ExportStatus::Running { .. } => status,
        // The list of what was skipped is read by `export_status`.
        ExportStatus::Done { report } => ExportStatus::Done {
            report: ExportReport { path: cut(report.path, PATH), skipped: Vec::new(), ..report },
        },
        ExportStatus::Failed { error } => ExportStatus::Failed { error: shortened(error) },
    }
}

fn save(status: SaveStatus) -> SaveStatus {
    match status {
        SaveStatus::Running { .. } | SaveStatus::Cancelled => status,
        SaveStatus::Done { path } => SaveStatus::Done { path: cut(path, PATH) },
        SaveStatus::Failed { error } => SaveStatus::Failed { error: shortened(error) },
    }
}

fn recovery(status: RecoveryStatus) -> RecoveryStatus {
    match status {
        RecoveryStatus::Idle | RecoveryStatus::Running { .. } => status,
        // The tables are read by `recovery_status`.
        RecoveryStatus::Done { report } => RecoveryStatus::Done {
            report: RecoveryReport { kept: cut(report.kept, PATH), tables: Vec::new(), ..report },
        },
        RecoveryStatus::Failed { error } => RecoveryStatus::Failed { error: shortened(error) },
    }
}

fn shortened(error: IpcError) -> IpcError {
    IpcError { message: cut(error.message, MESSAGE), ..error }
}

/// Too many to name are "refetch the list", which is what no ids mean.
fn sessions(ids: Vec<SessionId>) -> Vec<SessionId> {
    // Quotes and a comma.
    let length: usize = ids.iter().map(|id| length(id.as_str()) + 3).sum();
    if length <= IDS { ids } else { Vec::new() }
}

fn import(status: ImportStatus) -> ImportStatus {
    match status {
        ImportStatus::Idle => status,
        ImportStatus::Running { progress } => {
            let current = progress.current.map(|title| cut(title, TITLE));
            ImportStatus::Running { progress: ImportProgress { current, ..progress } }
        }
        // The list of what was skipped is read by `import_status`.
        ImportStatus::Done { report } => ImportStatus::Done {
            report: ImportReport { path: cut(report.path, PATH), skipped: Vec::new(), ..report },
        },
        ImportStatus::Failed { error } => {
            ImportStatus::Failed { error: IpcError { message: cut(error.message, MESSAGE), ..error } }
        }
    }
}

/// The last lines that have room, oldest first.
fn newest(lines: Vec<String>) -> Vec<String> {
    let mut room = LOG;
    let mut kept: Vec<String> = lines
        .into_iter()
        .rev()
        .map(|line| cut(line, PATH))
        .map_while(|line| {
            room = room.checked_sub(length(&line) + 3)?;
            Some(line)
        })
        .collect();
    kept.reverse();
    kept
}

/// The text, or its beginning with an ellipsis, in at most `most` bytes of JSON.
fn cut(mut text: String, most: usize) -> String {
    const ELLIPSIS: char = '…';
    if length(&text) <= most {
        return text;
    }
    let mut room = most - ELLIPSIS.len_utf8();
    let end = text.grapheme_indices(true).find_map(|(at, whole)| match room.checked_sub(length(whole)) {
        Some(left) => {
            room = left;
            None
        }
        None => Some(at),
    });
    text.truncate(end.unwrap_or(text.len()));
    text.push(ELLIPSIS);
    text
}

fn length(text: &str) -> usize {
    text.chars().map(in_json).sum()
}

/// At most so many bytes does JSON take for a letter (RFC 8259, section 7).
fn in_json(letter: char) -> usize {
    match letter {
        '"' | '\\' => 2,
        control if control < ' ' => 6,
        other => other.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use talaria_wire::{BootFailure, BootPhase, ErrorCode, EventEnvelope, StoreTrouble};

    fn bytes(event: AppEvent) -> usize {
        serde_json::to_string(&EventEnvelope { seq: u64::MAX, event }).expect("an event is JSON").len()
    }

    /// A start that failed, or one that opened a store for reading only.
    fn started(phase: BootPhase, home: &str, message: &str, log: Vec<String>) -> AppEvent {
        AppEvent::BootChanged {
            status: BootStatus {
                trouble: (phase == BootPhase::Ready).then(|| StoreTrouble {
                    code: ErrorCode::Damaged,
                    title: "The session store is damaged".to_owned(),
                    message: message.to_owned(),
                    path: home.to_owned(),
                    bytes: u64::MAX,
                    found: log.clone(),
                    readable: Some(i64::MAX),
                    total: Some(i64::MAX),
                    recoverable: true,
                }),
                clock_jump_days: None,
                safe_graphics: false,
                phase,
                failure: (phase == BootPhase::Failed).then(|| BootFailure {
                    code: ErrorCode::ReadOnly,
                    title: "The data folder cannot be written".to_owned(),
                    message: message.to_owned(),
                    log: log.clone(),
                    retry_at: i64::MAX,
                    recoverable: true,
                }),
                home: home.to_owned(),
                first_start: false,
                preview: false,
                platform: "windows".to_owned(),
                version: "10.20.30".to_owned(),
            },
        }
    }

    proptest! {
        // A case takes texts of many pages; the borders are hit early.
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn no_event_reaches_the_limit_whatever_its_texts_are(
            text in prop_oneof![any::<String>(), "[\\x00-\\x1f\"\\\\]{0,9000}", "[a-zé日🎬]{0,9000}"],
            lines in 0_usize..60,
            ids in 0_usize..400,
        ) {
            for event in [
                started(BootPhase::Failed, &text, &text, vec![text.clone(); lines]),
                started(BootPhase::Ready, &text, &text, vec![text.clone(); lines]),
                AppEvent::SessionsChanged { ids: vec![SessionId(text.clone()); ids] },
                AppEvent::ImportChanged {
                    status: ImportStatus::Running {
                        progress: ImportProgress { done: i64::MAX, total: i64::MAX, current: Some(text.clone()) },
                    },
                },
                AppEvent::SaveChanged { id: "0".repeat(32), status: SaveStatus::Done { path: text.clone() } },
                AppEvent::SaveChanged {
                    id: "0".repeat(32),
                    status: SaveStatus::Failed { error: IpcError::internal(text.clone()) },
                },
                AppEvent::ImportChanged {
                    status: ImportStatus::Failed { error: IpcError::internal(text.clone()) },
                },
                AppEvent::ImportChanged {
                    status: ImportStatus::Done {
                        report: ImportReport { path: text.clone(), ..ImportReport::default() },
                    },
                },
            ] {
                prop_assert!(bytes(fit(event)) < EVENT_LIMIT);
            }
        }
    }

    #[test]
    fn what_is_short_goes_as_it_is() {
        let log = vec!["    0.0 s  lock   /home/u/owner.lock".to_owned(); 20];
        let event =
            started(BootPhase::Failed, "/home/u/.local/share/talaria", "It is in use by process 7.", log);
        assert_eq!(fit(event.clone()), event);
    }

    #[test]
    fn of_a_long_log_the_newest_lines_are_told_in_order() {
        let log: Vec<String> = (0..40).map(|n| format!("{n:02} {}", "x".repeat(197))).collect();
        let AppEvent::BootChanged { status } = fit(started(BootPhase::Failed, "/home", "no", log.clone()))
        else {
            unreachable!()
        };
        let told = status.failure.expect("it failed").log;
        assert_eq!(told, log[40 - told.len()..]);
        assert_eq!(told.len(), 10);
    }

    #[test]
    fn too_many_ids_mean_the_whole_list() {
        let ids = vec![SessionId("019a2b3c-0000-7000-8000-000000000000".to_owned()); 200];
        let told = fit(AppEvent::SessionsChanged { ids });
        assert_eq!(told, AppEvent::SessionsChanged { ids: Vec::new() });
    }

    #[test]
    fn a_cut_text_says_so_and_never_splits_a_letter() {
        assert_eq!(cut("日本語".to_owned(), 9), "日本語");
        assert_eq!(cut("日本語".to_owned(), 8), "日…");
        assert_eq!(cut("\n\n".to_owned(), 10), "\n…");
    }
}
