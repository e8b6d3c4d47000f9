//! A child with everything it starts: one session and process group (Unix), one job object (Windows). A session of its
//! own has no terminal, so a program that would ask there for a password fails at once instead of standing still.
//!
//! Dropped before its leader has ended, the whole group is killed.

use super::Command;
use process_wrap::tokio::{ChildWrapper, CommandWrap};
use std::io::{self, PipeWriter};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// How long a group has after TERM before it gets KILL (notifications.md: TERM, 5 s, KILL).
const GRACE: Duration = Duration::from_secs(5);
/// How long a killed group is waited for: what the system has in hand ends then, or nothing can end it.
const KILLED: Duration = Duration::from_secs(1);
/// How often a group whose leader has ended is looked at: no system tells when the last of a group goes.
const LOOK: Duration = Duration::from_millis(50);

pub(super) struct Group {
    child: Box<dyn ChildWrapper>,
    /// The leader's number, which is the group's.
    #[cfg(unix)]
    id: libc::pid_t,
    /// The leader has ended and was taken note of.
    status: Option<ExitStatus>,
}

impl Group {
    /// Starts the command; both outputs go to `output`, in the order in which they are written.
    ///
    /// # Errors
    /// No such program or folder, or no right to it.
    pub(super) fn start(command: &Command, output: PipeWriter) -> io::Result<Self> {
        let mut wrapped = CommandWrap::with_new(&command.program, |child| {
            child.args(&command.arguments);
            #[cfg(windows)]
            if let Some(text) = &command.text {
                // `cmd` takes the text between the first and the last quote as it stands.
                child.raw_arg("\"").raw_arg(text).raw_arg("\"");
            }
            #[cfg(not(windows))]
            child.args(&command.text);
            child.current_dir(&command.folder).env_clear().envs(command.environment.variables());
        });
        let errors = output.try_clone()?;
        wrapped.command_mut().stdin(Stdio::null()).stdout(output).stderr(errors);
        #[cfg(unix)]
        wrapped.wrap(process_wrap::tokio::ProcessSession);
        #[cfg(windows)]
        wrapped.wrap(process_wrap::tokio::JobObject);
        let child = wrapped.spawn()?;
        #[cfg(unix)]
        let id = child
            .id()
            .and_then(|id| libc::pid_t::try_from(id).ok())
            .ok_or_else(|| io::Error::other("the child has no number"))?;
        Ok(Self {
            child,
            #[cfg(unix)]
            id,
            status: None,
        })
    }

    /// Waits for the leader alone. Cancelling loses nothing.
    pub(super) async fn leader(&mut self) -> io::Result<ExitStatus> {
        // The wrapper's own wait would also wait for every process that comes to us without a parent.
        let status = self.child.inner_mut().wait().await?;
        self.status = Some(status);
        Ok(status)
    }

    /// Ends the whole group: TERM, 5 s, KILL. After it nobody of the group is left that the system can end.
    pub(super) async fn stop(&mut self) {
        #[cfg(unix)]
        {
            self.signal(libc::SIGTERM);
            // One that stands still hears TERM only when it goes on.
            self.signal(libc::SIGCONT);
            if self.gone_within(GRACE).await {
                return;
            }
        }
        self.kill();
        self.gone_within(KILLED).await;
    }

    fn kill(&mut self) {
        // An error: nobody is left.
        let _ = self.child.start_kill();
    }

    async fn gone_within(&mut self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        if self.status.is_none() && !matches!(timeout(time, self.leader()).await, Ok(Ok(_))) {
            return false;
        }
        while self.has_members() {
            if Instant::now() >= deadline {
                return false;
            }
            sleep(LOOK).await;
        }
        true
    }
}

#[cfg(unix)]
impl Group {
    fn signal(&self, signal: i32) {
        // SAFETY: killpg takes two numbers and touches no memory. The group is ours: its number is that of a child, which
        // the system gives to nobody else while the leader is not waited for or a member lives; `stop` signals only then.
        let _ = unsafe { libc::killpg(self.id, signal) };
    }

    /// Whether a process of the group lives.
    pub(super) fn has_members(&self) -> bool {
        super::members::has_living(self.id)
    }
}

#[cfg(not(unix))]
impl Group {
    /// Not told by a job object; killed, it has none.
    pub(super) fn has_members(&self) -> bool {
        false
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.status.is_none() {
            self.kill();
        }
    }
}
