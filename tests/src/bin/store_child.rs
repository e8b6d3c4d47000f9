//! A second process for the store's tests: `store-child <what> <home>`.
//!
//! `open`: opens the store, says so, and keeps it until its input ends. `archive`: archives `session-1` and on, one
//! after the other, and says each number after the store has acknowledged it. `fill`: puts sessions in until the store
//! refuses one, says why, and then how many are there: each one that was taken, or it fails. `write <home> <n>`: makes
//! the writes of `writes` from number n on and says each after the store has acknowledged it, until it is killed. What
//! goes wrong is said as `error <code> <message>`.

use app_tests::home::NOON;
use app_tests::seed::{chat, session_id};
use app_tests::writes::Write;
use std::io::{Read, Write as _};
use std::path::Path;
use std::sync::Arc;
use talaria_core::clock::ManualClock;
use talaria_core::store::{Limits, OwnerLock, Store, StoreError};
use talaria_wire::{ErrorCode, IpcError, SessionUpdateRequest};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().expect("what to do");
    let home = arguments.next().expect("a home");
    let number = arguments.next().map(|number| number.parse().expect("a number"));
    if let Err(error) = run(&what, Path::new(&home), number).await {
        let error = IpcError::from(error);
        say(&format!("error {:?} {}", error.code, error.message));
        std::process::exit(1);
    }
}

async fn run(what: &str, home: &Path, number: Option<u32>) -> Result<(), StoreError> {
    let pages = number.filter(|_| what == "fill");
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
        "write" => {
            for n in number.expect("the first number") as usize.. {
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
