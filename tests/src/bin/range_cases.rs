//! `range-cases FILE`: every row of a table of Range cases against the real handler over its real listener.
//!
//! Prints each row whose answer the table does not allow, and last `N passed, N failed`. Exit code 0 when all passed,
//! 1 when any failed, 2 when there is no such table.

use app_tests::range_table::{self, rig::Rig};
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(file), None) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: range-cases FILE");
        return ExitCode::from(2);
    };
    match run(PathBuf::from(file)) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(what) => {
            eprintln!("range-cases: {what}");
            ExitCode::from(2)
        }
    }
}

/// How many rows failed.
fn run(file: PathBuf) -> Result<usize, String> {
    let rows = range_table::read(&file)?;
    let rig = Rig::start().map_err(|error| format!("the listener did not start: {error}"))?;
    let mut failed = 0;
    for row in &rows {
        let allowed = row.allowed()?;
        let answer = range_table::run(&rig, row);
        if !allowed.contains(&answer) {
            failed += 1;
            let allowed: Vec<String> = allowed.iter().map(ToString::to_string).collect();
            println!(
                "{}: {} {:?} of {} bytes: {answer}; allowed: {}",
                row.id,
                row.method(),
                row.header,
                row.size,
                allowed.join(" | ")
            );
        }
    }
    println!("{} passed, {failed} failed", rows.len() - failed);
    Ok(failed)
}
