//! One Xvfb for one test, on a number it picks itself.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A running X server, ended on drop.
pub struct Display {
    server: Child,
    name: String,
}

impl Display {
    pub fn start() -> Self {
        // Without -noreset the server starts over when its last client leaves, and an app that is started again just
        // then finds no display.
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb starts (package xvfb)");
        let output = server.stdout.take().expect("stdout was asked for");
        let mut number = String::new();
        BufReader::new(output).read_line(&mut number).expect("Xvfb says its display number");
        assert!(!number.trim().is_empty(), "Xvfb ended before it had a display");
        Self { server, name: format!(":{}", number.trim()) }
    }

    /// For `DISPLAY`.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        // Ended already is as good as ended now.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
