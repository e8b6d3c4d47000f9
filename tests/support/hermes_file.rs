//! Hermes stores for tests: a copy of the committed sample, with sessions of our own written in beside it in Hermes's
//! schema. What is read in from here goes the way of any user's store.

use rusqlite::{Connection, params};
use serde_json::json;
use std::io;
use std::path::{Path, PathBuf};

/// The sample made by a real Hermes Agent: 28 session rows, 22 of them listed without empty ones, 1 archived.
pub fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/hermes-sample/state.db")
}

/// A writable copy of the sample.
pub struct HermesFile {
    path: PathBuf,
    store: Connection,
}

/// One message row, oldest first.
pub enum Line<'a> {
    User(&'a str),
    Assistant(&'a str),
    /// A tool call by the assistant and its result: name, arguments and output as JSON text.
    Tool {
        name: &'a str,
        arguments: &'a str,
        output: &'a str,
    },
}

impl HermesFile {
    /// Copies the sample to `path`, whose folder is made. The committed file is never opened: even a reader would
    /// leave `-wal` and `-shm` beside it.
    pub fn copy_of_sample(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        // Read and write, not a file copy: the committed file may be read-only, and a copy would keep its mode.
        std::fs::write(path, std::fs::read(sample())?)?;
        let store = Connection::open(path).map_err(io::Error::other)?;
        Ok(Self { path: path.to_owned(), store })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a session. `started` is seconds since 1970; each line comes three seconds after the one before.
    pub fn add_session(
        &self,
        id: &str,
        title: &str,
        folder: &str,
        started: f64,
        lines: &[Line],
    ) -> io::Result<()> {
        self.write(id, title, folder, started, lines).map_err(io::Error::other)
    }

    fn write(
        &self,
        id: &str,
        title: &str,
        folder: &str,
        started: f64,
        lines: &[Line],
    ) -> rusqlite::Result<()> {
        let transaction = self.store.unchecked_transaction()?;
        transaction.execute(
            "INSERT INTO sessions (id, source, model, started_at, message_count, cwd, title)
             VALUES (?1, 'desktop', 'demo-model', ?2, ?3, ?4, ?5)",
            params![id, started, lines.len() as i64, folder, title],
        )?;
        let mut add = transaction.prepare(
            "INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        for (position, line) in lines.iter().enumerate() {
            let time = started + 3.0 * position as f64;
            match *line {
                Line::User(text) => {
                    add.execute(params![id, "user", text, None::<&str>, None::<&str>, None::<&str>, time])?
                }
                Line::Assistant(text) => add.execute(params![
                    id,
                    "assistant",
                    text,
                    None::<&str>,
                    None::<&str>,
                    None::<&str>,
                    time
                ])?,
                Line::Tool { name, arguments, output } => {
                    let call = format!("call_{id}_{position}");
                    let calls = json!([{
                        "id": call, "call_id": call, "type": "function",
                        "function": { "name": name, "arguments": arguments },
                    }])
                    .to_string();
                    add.execute(params![
                        id,
                        "assistant",
                        None::<&str>,
                        None::<&str>,
                        calls,
                        None::<&str>,
                        time
                    ])?;
                    add.execute(params![id, "tool", output, call, None::<&str>, name, time + 1.0])?
                }
            };
        }
        drop(add);
        transaction.commit()
    }
}
