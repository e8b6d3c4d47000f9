//! The tools of an agent on this computer: [`Tools`] for the driver of a turn, and the undo of a write.
//!
//! A call's text is hostile: `arguments` reads it, `place` finds out where on the disk it would act, `approval` judges.
//! Nothing here asks the user. `run` does what was judged free or was approved; what is private it refuses by itself.

mod answer;
mod arguments;
mod diff;
mod place;
mod read_file;
mod search_files;
mod specs;
mod terminal;
mod undo;
mod write_file;

use super::approval::{Act, judge};
use super::ports::{ChangedFile, Judgement, ToolOutcome, ToolPlace, ToolSpec, Tools};
use crate::media::PrivatePlaces;
use crate::process::Environment;
use crate::store::home::STORE_FILE;
use answer::failed;
use arguments::{Arguments, parse};
use async_trait::async_trait;
use place::Place;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use talaria_wire::ToolCall;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// How long the disk may be silent after the time of a tool that ends by itself.
const SILENCE: Duration = Duration::from_secs(10);

/// The four tools. Clones are one and the same.
#[derive(Clone)]
pub struct LocalTools(Arc<Inner>);

struct Inner {
    home: PathBuf,
    store: PathBuf,
    places: PrivatePlaces,
    environment: Environment,
}

impl LocalTools {
    /// `data_folder`: the app's, which no tool may touch. `original`: the environment of the app's start, see
    /// [`Environment::cleaned`]. Looks at the disk.
    pub fn new(
        home: PathBuf,
        data_folder: &Path,
        original: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        let real = |path: &Path| place::real(path).unwrap_or_else(|_| path.to_owned());
        let places = PrivatePlaces::new(real(&home), real(data_folder), |name| std::env::var_os(name));
        let store = data_folder.join(STORE_FILE);
        Self(Arc::new(Inner { home, store, places, environment: Environment::cleaned(original) }))
    }

    /// Puts a file back as it was before a write. Blocks on the disk.
    ///
    /// # Errors
    /// Words for the user; nothing was changed.
    pub fn undo(&self, change: &ChangedFile) -> Result<(), String> {
        undo::undo(change, &self.0.places, &self.0.store)
    }
}

#[async_trait]
impl Tools for LocalTools {
    fn specs(&self, _place: &ToolPlace) -> Vec<ToolSpec> {
        specs::specs()
    }

    fn judge(&self, place: &ToolPlace, call: &ToolCall) -> Judgement {
        let inner = &self.0;
        let place = Place::new(&inner.home, &inner.places, place.folder.as_deref());
        // What cannot be read does nothing: `run` says what is wrong with it.
        act(&place, call).map_or(Judgement::Free, |act| judge(&act, place.workspace.is_some()))
    }

    async fn run(
        &self,
        place: &ToolPlace,
        call: &ToolCall,
        output: mpsc::Sender<String>,
        stop: CancellationToken,
    ) -> ToolOutcome {
        let arguments = match parse(&call.name, &call.arguments) {
            Ok(arguments) => arguments,
            Err(words) => return failed(words),
        };
        if let Some(folder) = place.folder.as_deref().filter(|folder| !folder.is_dir()) {
            return failed(format!("The working folder {} is not there.", folder.display()));
        }
        if let Arguments::Terminal { command, timeout } = &arguments {
            let folder = place.folder.as_ref().unwrap_or(&self.0.home);
            return terminal::terminal(command, *timeout, folder, &self.0.environment, output, stop).await;
        }
        let writes = matches!(arguments, Arguments::WriteFile { .. });
        let (inner, place, call, on_disk) = (Arc::clone(&self.0), place.clone(), call.clone(), stop.clone());
        let work = tokio::task::spawn_blocking(move || inner.on_disk(&place, &call, arguments, &on_disk));
        // A disk that does not answer (a network that is gone, a pipe in the place of a file) holds up no turn.
        tokio::select! {
            done = work => done.unwrap_or_else(|error| failed(format!("The tool failed: {error}."))),
            () = tokio::time::sleep(search_files::LONGEST + SILENCE) => failed(match writes {
                false => "The disk did not answer in time.",
                true => "The disk did not answer in time. The file may have been written.",
            }),
            // A write that has begun ends by itself, so that it is known what it did.
            () = stopped(stop), if !writes => failed("The tool was stopped by the user."),
        }
    }
}

impl Inner {
    fn on_disk(
        &self,
        place: &ToolPlace,
        call: &ToolCall,
        arguments: Arguments,
        stop: &CancellationToken,
    ) -> ToolOutcome {
        let Self { home, store, places, .. } = self;
        let place = Place::new(home, places, place.folder.as_deref());
        // The disk may have changed while the user was asked: a link may lead out of the workspace by now.
        match act(&place, call).map(|act| judge(&act, place.workspace.is_some())) {
            Ok(Judgement::Free | Judgement::Ask { .. }) => {}
            Ok(Judgement::Refuse { words }) | Err(words) => return failed(words),
        }
        let real = |text: &str| {
            let full = place.full(text)?;
            place::real(&full).map_err(|error| format!("{} cannot be reached: {error}.", full.display()))
        };
        let outcome = match arguments {
            Arguments::ReadFile { path, offset, limit } => {
                real(&path).map(|real| read_file::read_file(&real, offset, limit, places, stop))
            }
            Arguments::WriteFile { path, content } => {
                real(&path).map(|real| write_file::write_file(&real, &content, places, store))
            }
            Arguments::SearchFiles { pattern, path, glob } => {
                real(path.as_deref().unwrap_or(".")).map(|root| {
                    let workspace = place.workspace.as_deref();
                    search_files::search_files(&root, &pattern, glob.as_deref(), workspace, places, stop)
                })
            }
            Arguments::Terminal { .. } => Err("A command does not run here.".to_owned()),
        };
        outcome.unwrap_or_else(failed)
    }
}

/// After a moment in which the work can say by itself that it was stopped, with what it had.
async fn stopped(stop: CancellationToken) {
    stop.cancelled().await;
    tokio::time::sleep(Duration::from_secs(1)).await;
}

/// What a call would do.
fn act(place: &Place<'_>, call: &ToolCall) -> Result<Act, String> {
    let located = |text: &str| place.full(text).map(|full| place.locate(&full));
    Ok(match parse(&call.name, &call.arguments)? {
        Arguments::Terminal { command, .. } => Act::Run { command },
        Arguments::ReadFile { path, .. } => Act::Read { path: located(&path)? },
        Arguments::WriteFile { path, content } => Act::Write { path: located(&path)?, content },
        Arguments::SearchFiles { pattern, path, glob } => {
            Act::Search { path: located(path.as_deref().unwrap_or("."))?, pattern, glob }
        }
    })
}
