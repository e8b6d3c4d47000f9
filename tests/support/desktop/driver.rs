//! WebKitWebDriver in a process group of its own. The app is its child, and outlives a driver that is merely killed
//! (measured), so the session ends first and the group after it.

use fantoccini::wd::Capabilities;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use std::fs::File;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

const PORT_DEADLINE: Duration = Duration::from_secs(20);
const SESSION_DEADLINE: Duration = Duration::from_secs(90);
const EXIT_DEADLINE: Duration = Duration::from_secs(15);

/// A running driver.
pub struct Driver {
    process: Child,
    port: u16,
    log: PathBuf,
    /// The open session, for a drop without a goodbye.
    session: Mutex<Option<String>>,
}

impl Driver {
    /// Starts the driver; its output and the app's go to `log`, because a pipe kept open by an orphan would hang the
    /// reader.
    pub fn start(mut command: Command, log: &Path) -> Self {
        let port = free_port();
        let output = File::options().create(true).append(true).open(log).expect("the driver's log file");
        let errors = output.try_clone().expect("a second handle of the log");
        let mut process = command
            .arg(format!("--port={port}"))
            .arg("--host=127.0.0.1")
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .process_group(0)
            .spawn()
            .expect("WebKitWebDriver starts (package webkit2gtk-driver)");
        let deadline = Instant::now() + PORT_DEADLINE;
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            let ended = process.try_wait().expect("the driver's state");
            assert!(ended.is_none(), "WebKitWebDriver ended: {}", read_log(log));
            assert!(
                Instant::now() < deadline,
                "WebKitWebDriver did not listen on port {port}: {}",
                read_log(log)
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        Self { process, port, log: log.to_owned(), session: Mutex::new(None) }
    }

    /// Starts the app with these arguments, and its session.
    pub async fn open(&self, binary: &Path, arguments: &[&str]) -> Client {
        let mut capabilities = Capabilities::new();
        let options = serde_json::json!({ "binary": binary, "args": arguments });
        capabilities.insert("webkitgtk:browserOptions".to_owned(), options);
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(capabilities);
        let address = format!("http://127.0.0.1:{}", self.port);
        let client = match tokio::time::timeout(SESSION_DEADLINE, builder.connect(&address)).await {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => panic!("the app did not start: {error}\n{}", read_log(&self.log)),
            Err(_) => panic!("the app had no page after {SESSION_DEADLINE:?}\n{}", read_log(&self.log)),
        };
        let id = client.session_id().await.expect("the session's id");
        *self.session.lock().expect("nobody panics while holding it") = id;
        client
    }

    /// Ends the session, and with it the app; then waits for the group to be gone.
    pub async fn close(self, client: Client) {
        let ended = client.close().await;
        *self.session.lock().expect("nobody panics while holding it") = None;
        ended.expect("the driver ends its session");
    }

    /// The living processes of the group but the driver, with the names that the kernel has for them.
    pub fn members(&self) -> Vec<(u32, String)> {
        members(self.process.id()).into_iter().filter(|(id, _)| *id != self.process.id()).collect()
    }

    /// Ends the driver after the app was killed: there is no session to end.
    pub fn abandon(self) {
        *self.session.lock().expect("nobody panics while holding it") = None;
    }

    fn signal_group(&self, signal: libc::c_int) -> bool {
        let group = libc::pid_t::try_from(self.process.id()).expect("a pid fits a pid_t");
        // SAFETY: kill has no memory to get wrong; the group is the one this struct started and has not reaped yet,
        // so its number cannot belong to anybody else.
        unsafe { libc::kill(-group, signal) == 0 }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let session = self.session.lock().map(|mut session| session.take()).unwrap_or_default();
        if let Some(id) = session {
            // The app's own end is better than a kill, but a test that fails must not hang on it.
            let _ = end_session(self.port, &id);
        }
        self.signal_group(libc::SIGTERM);
        let deadline = Instant::now() + EXIT_DEADLINE;
        // The driver stays unreaped until its group is empty of others: its number is then still ours.
        while !others_are_gone(self.process.id()) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
        }
        self.signal_group(libc::SIGKILL);
        let _ = self.process.wait();
    }
}

/// Whether the group holds no living process but its (perhaps dead, unreaped) leader.
fn others_are_gone(group: u32) -> bool {
    members(group).is_empty()
}

/// Living processes of a group.
fn members(group: u32) -> Vec<(u32, String)> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|entry| {
            let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            // pid (name) state ppid pgrp ...; the name may hold blanks and brackets.
            let (front, rest) = stat.rsplit_once(')')?;
            let (pid, name) = front.split_once(" (")?;
            let mut fields = rest.split_whitespace();
            let (state, its_group) = (fields.next()?, fields.nth(1)?);
            // A process whose first thread is gone lives on, with its files and locks, until its last one is.
            let lives = state != "Z" || std::fs::read_dir(entry.path().join("task")).ok()?.count() > 1;
            (lives && its_group == group.to_string()).then_some((pid.parse().ok()?, name.to_owned()))
        })
        .collect()
}

fn end_session(port: u16, id: &str) -> std::io::Result<()> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    write!(stream, "DELETE /session/{id} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")?;
    let mut answer = [0; 64];
    stream.read(&mut answer).map(drop)
}

/// The driver cannot pick a port and say so; between this look and its bind another process may take it, which the
/// start then reports.
fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("its address").port()
}

fn read_log(log: &Path) -> String {
    std::fs::read_to_string(log).unwrap_or_default()
}
