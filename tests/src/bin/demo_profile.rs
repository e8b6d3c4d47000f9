//! `demo-profile DIR`: makes a ready profile. `DIR/home` is the data folder (for `TALARIA_HOME`), `DIR/media` holds the
//! media that the demo session names, `DIR/hermes` the store that was read in.

use app_tests::{demo, profile};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use talaria_core::store::OwnerLock;

/// In the folder of every demo profile: only such a folder is made anew.
const MARK: &str = ".talaria-demo";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(folder), None) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: demo-profile DIR");
        return ExitCode::from(2);
    };
    match make(&PathBuf::from(folder)).await {
        Ok(words) => {
            println!("{words}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("demo-profile: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn make(folder: &Path) -> Result<String, Box<dyn Error + Send + Sync>> {
    clear(folder)?;
    let store = folder.join("hermes/state.db");
    demo::write_store(&store, &folder.join("media"))?;
    let report = profile::import_into(&folder.join("home"), &store).await?;
    Ok(format!(
        "{} sessions and {} messages in {}",
        report.listed,
        report.messages,
        folder.canonicalize()?.join("home").display()
    ))
}

/// An empty folder, or one of an earlier demo emptied. Anything else is somebody's, and stays.
fn clear(folder: &Path) -> Result<(), Box<dyn Error + Send + Sync>> {
    std::fs::create_dir_all(folder)?;
    let mark = folder.join(MARK);
    let is_empty = std::fs::read_dir(folder)?.next().is_none();
    if !is_empty && !mark.exists() {
        return Err(
            format!("{} holds other files. Name a folder that is new or empty.", folder.display()).into()
        );
    }
    // A demo that is open keeps its home: nothing is taken from under a running app.
    let _mine = OwnerLock::acquire(&folder.join("home"))?;
    for name in ["home", "media", "hermes"] {
        let part = folder.join(name);
        if part.exists() {
            std::fs::remove_dir_all(part)?;
        }
    }
    std::fs::write(mark, "")?;
    Ok(())
}
