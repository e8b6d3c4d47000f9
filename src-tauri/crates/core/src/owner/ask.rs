//! The asking side: a second start of the app, and `talariactl` while the app is open.

use super::talk::{self, ANSWER_LIMIT, Answer, Request};
use super::{ANSWER_WITHIN, place};
use std::io;
use std::path::{Path, PathBuf};
use talaria_wire::{ErrorCode, ImportProgress, ImportReport, IpcError};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio_util::sync::CancellationToken;

/// Asks the owner of the home to come forward. `false`: nobody is there, or nobody answered within [`ANSWER_WITHIN`].
pub async fn ask_front(home: &Path) -> bool {
    matches!(first_word(home, &Request::Front).await, Some((Answer::Here, ..)))
}

/// Hands the file (a full path) to the owner of the home, and answers when the import has ended there. `cancel` takes it
/// back: then the report is what came in until then. `None`: nobody listens, or nobody answered within
/// [`ANSWER_WITHIN`], or the name is no text.
///
/// # Errors
/// The owner's own; `cancelled` when the owner went away before the end.
pub async fn ask_import(
    home: &Path,
    path: &Path,
    cancel: CancellationToken,
    mut progress: impl FnMut(ImportProgress),
) -> Option<Result<ImportReport, IpcError>> {
    let request = Request::Import { path: path.to_str()?.to_owned() };
    let (mut said, mut read, mut write) = first_word(home, &request).await?;
    // Closing our side takes the import back, and the other side still has the word.
    let close = async {
        cancel.cancelled().await;
        // The owner is gone: then its last word is missing too, and that is said.
        let _ = write.shutdown().await;
        std::future::pending::<()>().await;
    };
    let end = async {
        loop {
            match said {
                Answer::Progress { done, total } => progress(ImportProgress { done, total, current: None }),
                Answer::Report { report } => return Ok(*report),
                Answer::Error { error } => return Err(error),
                Answer::Here => return Err(gone()),
            }
            said = match talk::read(&mut read, ANSWER_LIMIT).await {
                Ok(Some(next)) => next,
                Ok(None) | Err(_) => return Err(gone()),
            };
        }
    };
    tokio::select! {
        ended = end => Some(ended),
        () = close => None,
    }
}

fn gone() -> IpcError {
    let words = "Talaria closed before the import was through. What came in until then stays. Import again for the rest.";
    IpcError::new(ErrorCode::Cancelled, words)
}

/// Connects, asks, and waits for the first answer.
async fn first_word(
    home: &Path,
    request: &Request,
) -> Option<(Answer, BufReader<OwnedReadHalf>, OwnedWriteHalf)> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let asked = async {
        for path in place::places(home, runtime.as_deref()) {
            // No socket, or one that a killed owner left behind.
            let Ok(stream) = UnixStream::connect(&path).await else { continue };
            // A socket of somebody else is not told anything.
            if stream.peer_cred().is_ok_and(|peer| peer.uid() == place::user()) {
                return ask(stream, request).await.ok().flatten();
            }
        }
        None
    };
    tokio::time::timeout(ANSWER_WITHIN, asked).await.ok().flatten()
}

async fn ask(
    stream: UnixStream,
    request: &Request,
) -> io::Result<Option<(Answer, BufReader<OwnedReadHalf>, OwnedWriteHalf)>> {
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    write.write_all(&talk::line(request)).await?;
    Ok(talk::read(&mut read, ANSWER_LIMIT).await?.map(|answer| (answer, read, write)))
}
