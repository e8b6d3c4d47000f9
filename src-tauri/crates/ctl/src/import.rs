//! `talariactl import`.

use crate::report;
use std::env;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use talaria_core::clock::SystemClock;
use talaria_core::import;
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
    let store = OwnerLock::acquire(&home)
        .and_then(|lock| Store::open(&home, lock, Arc::new(SystemClock)))
        .map_err(in_use)?;
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let interrupt = tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stop.cancel();
        }
    });
    let result = import::run(&store, &file, cancel, move |progress| tell(&progress, json)).await;
    interrupt.abort();
    store.close().await;
    Ok(result?)
}

fn default_file() -> Result<PathBuf, IpcError> {
    let user_home = env::var_os("HOME").or_else(|| env::var_os("USERPROFILE")).map(PathBuf::from);
    let hermes_home = env::var_os("HERMES_HOME").map(PathBuf::from);
    if user_home.is_none() && hermes_home.is_none() {
        return Err(IpcError::new(ErrorCode::Missing, "There is no home folder. Name the file to bring in."));
    }
    Ok(import::default_path(hermes_home.as_deref(), &user_home.unwrap_or_default()))
}

/// The app has the home: say by whom it is in use, and what to do here.
fn in_use(error: StoreError) -> IpcError {
    let words = error.to_string();
    let is_in_use = matches!(error, StoreError::InUse { .. });
    let mut error = IpcError::from(error);
    if is_in_use {
        error.message = format!("The data folder is {words}. Close Talaria there, then import again.");
    }
    error
}

fn tell(progress: &ImportProgress, json: bool) {
    // A terminal's line is written over; a log gets no line a session.
    if !json && std::io::IsTerminal::is_terminal(&std::io::stderr()) {
        let end = if progress.done >= progress.total { "\n" } else { "" };
        eprint!("\r{} of {} sessions{end}", progress.done, progress.total);
    }
}
