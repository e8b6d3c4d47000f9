//! The owner's side: a socket for the user alone, and one task a connection.

use super::talk::{self, Answer, REQUEST_LIMIT, Request};
use super::{Owner, place};
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use talaria_wire::IpcError;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

/// Who connects has so long for its request.
const ASK_WITHIN: Duration = Duration::from_secs(5);
/// Who does not read for so long is gone.
const READ_WITHIN: Duration = Duration::from_secs(30);
/// Steps of an import on their way to the one who asked; what does not fit is left out.
const STEPS: usize = 16;

/// The open socket of a home. Dropping it takes it away; talks under way go on to their end.
pub struct Door {
    accepting: AbortHandle,
    path: PathBuf,
    /// The file's number: a file of another owner in its place is not ours to remove.
    inode: u64,
}

impl Door {
    /// Listens for the home whose lock the caller holds, so whatever lies in the socket's place is left over. `None`,
    /// with the cause in the log, when that cannot be: then another process says "in use", and that is all.
    ///
    /// Needs a tokio runtime.
    pub fn open(home: &Path, owner: Arc<dyn Owner>) -> Option<Self> {
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let opened = place::places(home, runtime.as_deref()).into_iter().find_map(|path| {
            listen(&path)
                .inspect_err(|error| tracing::warn!(%error, "no socket for other processes here"))
                .ok()
        });
        let (listener, path, inode) = opened?;
        let accepting = tokio::spawn(accept(listener, owner)).abort_handle();
        Some(Self { accepting, path, inode })
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.accepting.abort();
        if fs::symlink_metadata(&self.path).is_ok_and(|found| found.ino() == self.inode) {
            // Gone already is as good.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn listen(path: &Path) -> io::Result<(UnixListener, PathBuf, u64)> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(path)?;
    // Until here the process' mask decides; each peer is checked besides.
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    let inode = fs::symlink_metadata(path)?.ino();
    Ok((listener, path.to_owned(), inode))
}

async fn accept(listener: UnixListener, owner: Arc<dyn Owner>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(talk(stream, Arc::clone(&owner)));
            }
            // Out of files, most likely: the next one may fare better, but not at once.
            Err(error) => {
                tracing::warn!(%error, "a process that asks was not heard");
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
    }
}

async fn talk(stream: UnixStream, owner: Arc<dyn Owner>) {
    if !stream.peer_cred().is_ok_and(|peer| peer.uid() == place::user()) {
        tracing::warn!("a process of another user was turned away");
        return;
    }
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    let last = match tokio::time::timeout(ASK_WITHIN, talk::read(&mut read, REQUEST_LIMIT)).await {
        // Without a window there is no answer: then the other process opens its own, or says why it cannot.
        Ok(Ok(Some(Request::Front))) if owner.front() => Answer::Here,
        Ok(Ok(Some(Request::Import { path }))) => {
            import(PathBuf::from(path), owner.as_ref(), &mut read, &mut write).await
        }
        Ok(Err(error)) if error.kind() == io::ErrorKind::InvalidData => {
            let error = IpcError::bad_request("This Talaria does not understand what it was asked.");
            Answer::Error { error }
        }
        // It left, or has nothing to say.
        _ => return,
    };
    say(&mut write, &last).await;
}

async fn import(
    path: PathBuf,
    owner: &dyn Owner,
    read: &mut BufReader<OwnedReadHalf>,
    write: &mut OwnedWriteHalf,
) -> Answer {
    if !path.is_absolute() {
        return Answer::Error { error: IpcError::bad_request("A file is asked for by its full path.") };
    }
    // At once, so that who asks knows that it is heard.
    let mut heard = say(write, &Answer::Progress { done: 0, total: 0 }).await;
    let cancel = CancellationToken::new();
    let (progress, mut steps) = mpsc::channel(STEPS);
    let mut run = owner.import(path, progress, cancel.clone());
    loop {
        let mut more = [0; 1];
        tokio::select! {
            ended = &mut run => return match ended {
                Ok(report) => Answer::Report { report: Box::new(report) },
                Err(error) => Answer::Error { error },
            },
            Some(step) = steps.recv(), if heard => {
                heard = say(write, &Answer::Progress { done: step.done, total: step.total }).await;
            }
            // Nothing more is to be said, so whatever comes (most likely the end) takes the import back.
            _ = read.read(&mut more), if !cancel.is_cancelled() => cancel.cancel(),
        }
        if !heard {
            cancel.cancel();
        }
    }
}

/// Whether it went out.
async fn say(write: &mut OwnedWriteHalf, answer: &Answer) -> bool {
    matches!(tokio::time::timeout(READ_WITHIN, write.write_all(&talk::line(answer))).await, Ok(Ok(())))
}
