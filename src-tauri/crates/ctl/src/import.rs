//! `talariactl import`: done here when nobody has the home, else by the running app, with the same words.

use crate::report;
use std::env;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use talaria_core::clock::SystemClock;
use talaria_core::import;
use talaria_core::owner;
use talaria_core::store::{OwnerLock, Store, StoreError, home};
use talaria_wire::{ErrorCode, ImportProgress, ImportReport, IpcError};
use tokio_util::sync::CancellationToken;

/// What a shell reports for a program that Ctrl-C ended.
const INTERRUPTED: u8 = 130;

pub async fn run(file: Option<PathBuf>, json: bool) -> ExitCode {
    match imported(file, json).await {
        Ok(report) => {
            if json {
                println!("{}", serde_json::to_string_pretty(&report).expect("a report is plain data"));
            } else {
                print!("{}", report::written(&report));
            }
            if report.cancelled { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS }
        }
        Err(error) => {
            if json {
                eprintln!("{}", serde_json::to_string(&error).expect("an error is plain data"));
            } else {
                eprintln!("talariactl: {}", error.message);
            }
            ExitCode::FAILURE
        }
    }
}

async fn imported(file: Option<PathBuf>, json: bool) -> Result<ImportReport, IpcError> {
    let file = file.map_or_else(default_file, Ok)?;
    // Before the home is touched: a wrong file name makes no empty store.
    import::probe(&file).await?;
    let home = home::data_folder(|name| env::var_os(name)).ok_or_else(|| {
        IpcError::new(ErrorCode::Missing, "There is no home folder. Set TALARIA_HOME to the data folder.")
    })?;
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let interrupt = tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stop.cancel();
        }
    });
    let tell = teller(json);
    let result = match OwnerLock::acquire(&home) {
        Ok(lock) => import_here(&home, lock, &file, cancel, tell).await,
        Err(error @ StoreError::InUse { .. }) => import_there(&home, &file, cancel, tell, error).await,
        Err(error) => Err(error.into()),
    };
    interrupt.abort();
    result
}

async fn import_here(
    home: &Path,
    lock: OwnerLock,
    file: &Path,
    cancel: CancellationToken,
    tell: impl FnMut(ImportProgress) + Send + 'static,
) -> Result<ImportReport, IpcError> {
    let store = Store::open(home, lock, Arc::new(SystemClock))?;
    let result = import::run(&store, file, cancel, tell).await;
    store.close().await;
    Ok(result?)
}

/// Hands the file to who has the home: the app takes it, another `talariactl` does not listen.
async fn import_there(
    home: &Path,
    file: &Path,
    cancel: CancellationToken,
    tell: impl FnMut(ImportProgress),
    error: StoreError,
) -> Result<ImportReport, IpcError> {
    let full = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    match owner::ask_import(home, &full, cancel, tell).await {
        Some(ended) => ended,
        None => Err(in_use(error)),
    }
}

fn default_file() -> Result<PathBuf, IpcError> {
    let user_home = env::var_os("HOME").or_else(|| env::var_os("USERPROFILE")).map(PathBuf::from);
    let hermes_home = env::var_os("HERMES_HOME").map(PathBuf::from);
    if user_home.is_none() && hermes_home.is_none() {
        return Err(IpcError::new(ErrorCode::Missing, "There is no home folder. Name the file to bring in."));
    }
    Ok(import::default_path(hermes_home.as_deref(), &user_home.unwrap_or_default()))
}

/// Nobody there takes the file: say by whom the home is in use, and what to do here.
fn in_use(error: StoreError) -> IpcError {
    let words = format!("The data folder is {error}. Close Talaria there, then import again.");
    IpcError { message: words, ..IpcError::from(error) }
}

/// Tells how far it is, each step once. What is told as done is on disk, so a script may rely on it.
fn teller(json: bool) -> impl FnMut(ImportProgress) + Send + 'static {
    let mut told = (0, 0);
    move |ImportProgress { done, total, .. }| {
        if total == 0 || std::mem::replace(&mut told, (done, total)) == (done, total) {
            return;
        }
        if json {
            eprintln!("{}", serde_json::json!({ "done": done, "total": total }));
        } else if std::io::stderr().is_terminal() {
            // A terminal's line is written over; a log gets no line a step.
            let end = if done >= total { "\n" } else { "" };
            eprint!("\r{done} of {total} sessions{end}");
        }
    }
}
