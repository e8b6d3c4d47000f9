//! `talariactl`: the headless front of Talaria. Runs on a server: no window, no Tauri.

mod arguments;
mod import;
mod report;

use arguments::Command;
use std::process::ExitCode;

/// What a person reads with `talariactl help`.
const HELP: &str = "\
talariactl - Talaria without a window

  talariactl import [FILE] [--json]   bring in a Hermes store; without FILE: $HERMES_HOME/state.db,
                                      else ~/.hermes/state.db. Ctrl-C stops between two sessions.
                                      An open Talaria does the work; this shows it. --json: the report
                                      as JSON, and the progress as lines of JSON on standard error.
  talariactl version                  the version, and the schema of its store
  talariactl help                     this text

Data lives in $TALARIA_HOME, else in the system's folder for a user's data.
Exit codes: 0 done, 1 failed, 2 wrong use, 130 stopped by Ctrl-C.
";

#[tokio::main]
async fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_env("TALARIA_LOG"))
        .with_writer(std::io::stderr)
        .init();
    match arguments::parse(std::env::args_os().skip(1)) {
        Ok(Command::Help) => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        Ok(Command::Version) => {
            let schema = talaria_core::store::SCHEMA;
            println!("talariactl {} (store schema {schema})", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        Ok(Command::Import { file, json }) => import::run(file, json).await,
        Err(words) => {
            eprintln!("talariactl: {words}\nSee `talariactl help`.");
            ExitCode::from(2)
        }
    }
}
