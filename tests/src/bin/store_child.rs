//! A second process for the store's tests: `store-child <what> <home>`.
//!
//! `open`: opens the store, says so, and keeps it until its input ends. `archive`: archives `session-1` and on, one
//! after the other, and says each number after the store has acknowledged it. `draft` and `put`: the same with the draft
//! `draft n` of each, and with new sessions `session-n` that say `words n`. `fill`: puts sessions in until the store
//! refuses one, says why, and then how many are there: each one that was taken, or it fails; with a third argument in a
//! file of so many pages. `export`: writes `session-1` as JSON to the file that the third argument names. `look`: starts
//! as the app does and says why the store is open for reading only, and how much is listed. `write <home> <n>`: makes the
//! writes of `writes` from number n on and says each after the store has acknowledged it, until it is killed.
//! `meet`: the same, and says whether a second start would find it. `recover`: recovers the store.
//! `save <folder> <file>`: copies the `clip.wav` of the folder to the file. What goes wrong is said as `error <code> <message>`.

use app_tests::home::NOON;
use app_tests::host;
use app_tests::seed::{chat, session_id};
use app_tests::writes::Write;
use std::io::{Read, Write as _};
use std::path::Path;
use std::sync::Arc;
use talaria_core::clock::ManualClock;
use talaria_core::command::App;
use talaria_core::export;
use talaria_core::media::{Media, MediaPaths};
use talaria_core::owner::ask_front;
use talaria_core::save;
use talaria_core::store::home::STORE_FILE;
use talaria_core::store::recover::{Recovered, Run};
use talaria_core::store::{Limits, OwnerLock, Store};
use talaria_wire::{
    BootPhase, ClientId, DraftSetRequest, ErrorCode, ExportFormat, IpcError, SessionListRequest,
    SessionUpdateRequest,
};
use tokio_util::sync::CancellationToken;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().expect("what to do");
    let home = arguments.next().expect("a home");
    if what == "look" || what == "meet" {
        let _app = look(Path::new(&home)).await;
        if what == "meet" {
            say(&format!("front {}", ask_front(Path::new(&home)).await));
        }
        return;
    }
    if what == "recover" {
        let (cancel, mut progress) = (CancellationToken::new(), |_| {});
        let made = Recovered::make(Path::new(&home), &mut Run { cancel: &cancel, progress: &mut progress });
        return match made.and_then(|made| made.put_in_place(NOON)).map_err(IpcError::from) {
            Ok(report) => say(&format!("recovered {}", report.sessions)),
            Err(error) => say(&format!("error {:?} {}", error.code, error.message)),
        };
    }
    if what == "save" {
        let target = arguments.next().expect("a file to write");
        if let Err(error) = save(Path::new(&home), Path::new(&target)) {
            say(&format!("error {:?} {}", error.code, error.message));
        }
        return;
    }
    if let Err(error) = run(&what, Path::new(&home), arguments.next()).await {
        say(&format!("error {:?} {}", error.code, error.message));
        std::process::exit(1);
    }
}

/// Copies `clip.wav` of the folder.
fn save(folder: &Path, target: &Path) -> Result<(), IpcError> {
    let data = folder.join("data");
    let paths = MediaPaths { data_folder: data.clone(), user_home: folder.to_owned() };
    let source = Media::new(paths).source(&folder.join("clip.wav").to_string_lossy())?;
    save::copy(&source, target, &data.join(STORE_FILE), &CancellationToken::new(), |_| {})?;
    Ok(())
}

async fn look(home: &Path) -> App {
    let config = host::config(home, Arc::new(ManualClock::at(NOON)));
    let app = App::start(config, host::door(home));
    let mut status = app.boot.watch();
    let status = status.wait_for(|now| now.phase != BootPhase::Connecting).await.expect("a start").clone();
    let Some(trouble) = status.trouble else {
        say(&format!("no trouble: {:?}", status.failure));
        return app;
    };
    let store = app.boot.ready().expect("it is ready").store;
    let request = SessionListRequest { limit: 500, ..SessionListRequest::default() };
    let list = store.session_list(request).await.expect("a list");
    let counts = store.counts().await.expect("counts");
    let code = serde_json::to_value(trouble.code).expect("a code");
    say(&format!("{} {} of {}", code.as_str().expect("a word"), list.rows.len(), counts.active));
    app
}

async fn run(what: &str, home: &Path, third: Option<String>) -> Result<(), IpcError> {
    let pages =
        third.as_ref().filter(|_| what == "fill").map(|pages| pages.parse().expect("a number of pages"));
    let limits = Limits { pages, ..Limits::default() };
    let lock = OwnerLock::acquire(home)?;
    let store = Store::open_with(home, lock, Arc::new(ManualClock::at(NOON)), limits)?;
    say("open");
    match what {
        "open" => {
            std::io::stdin().read_to_end(&mut Vec::new()).expect("input to wait on");
            store.close().await;
        }
        "archive" => {
            for n in 1.. {
                let request = SessionUpdateRequest {
                    id: session_id(n),
                    title: None,
                    archived: Some(true),
                    pin_rank: None,
                };
                match store.session_update(request).await.map_err(IpcError::from) {
                    Ok(_) => say(&format!("archived {n}")),
                    Err(error) if error.code == ErrorCode::NotFound => break,
                    Err(error) => panic!("{error}"),
                }
            }
        }
        "draft" => {
            for n in 1.. {
                let request = DraftSetRequest {
                    session_id: Some(session_id(n)),
                    text: format!("draft {n}"),
                    folder: None,
                };
                match store.draft_set(&ClientId::from("main"), request).await.map_err(IpcError::from) {
                    Ok(_) => say(&format!("drafted {n}")),
                    Err(error) if error.code == ErrorCode::NotFound => break,
                    Err(error) => panic!("{error}"),
                }
            }
        }
        "put" => {
            for n in 1..=1000 {
                store.lineage_put(Arc::new(chat(n, NOON + n as i64, &[format!("words {n}")]))).await?;
                say(&format!("put {n}"));
            }
        }
        "fill" => {
            let mut taken = 0;
            let refused = loop {
                let lineage = chat(taken + 1, NOON + taken as i64, &["a text of some length ".repeat(100)]);
                match store.lineage_put(Arc::new(lineage)).await {
                    Ok(_) => taken += 1,
                    Err(error) => break IpcError::from(error),
                }
            };
            say(&format!("error {:?} {}", refused.code, refused.message));
            let kept = store.counts().await?.active;
            assert_eq!(kept, taken as i64, "what was taken is there");
            say(&format!("kept {kept}"));
        }
        "export" => {
            let target = third.expect("a file to write");
            let (id, cancel) = (session_id(1), Default::default());
            export::session(&store, &id, ExportFormat::Json, Path::new(&target), &cancel, |_| {}).await?;
        }
        "write" => {
            let first = third.and_then(|number| number.parse().ok()).expect("the first number");
            for n in first.. {
                Write(n).make(&store).await?;
                say(&format!("wrote {n}"));
            }
        }
        other => panic!("{other} is nothing this can do"),
    }
    Ok(())
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).expect("somebody listens");
}
