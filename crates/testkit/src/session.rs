//! A session with a real server over its stdin and stdout, as a host would have it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// What a server wrote as one line: a message, or something that is none.
pub type Frame = Result<Value, String>;

/// How long a test waits for an answer before it fails.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running server and the session with it.
#[derive(Debug)]
pub struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    stderr: Option<ChildStderr>,
    frames: Receiver<Frame>,
    aside: Vec<Value>,
    next_id: u64,
}

impl Session {
    /// Starts a server without opening a session.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server can be started");
        let stdout = child.stdout.take().expect("stdout is piped");
        let (send, frames) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
                let frame = serde_json::from_slice(&line)
                    .map_err(|_| String::from_utf8_lossy(&line).into_owned());
                if send.send(frame).is_err() {
                    return;
                }
            }
        });
        let (stdin, stderr) = (child.stdin.take(), child.stderr.take());
        Self { child, stdin, stderr, frames, aside: Vec::new(), next_id: 1 }
    }

    /// Starts a server and opens a session of the 2025-11-25 revision.
    pub fn open(command: &mut Command) -> Self {
        let mut session = Self::start(command);
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "testkit", "version": "1" },
        });
        let answer = session.request("initialize", params);
        assert!(answer.get("result").is_some(), "the session was not opened: {answer}");
        session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        session
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes());
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the session is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the server reads");
    }

    /// Sends a request and returns its id.
    pub fn ask(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Sends a request and waits for its answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(&json!(id))
    }

    /// Calls a tool and waits for the result.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Waits for the answer with an id; other messages are kept for [`Session::aside`].
    pub fn answer(&mut self, id: &Value) -> Value {
        if let Some(at) = self.aside.iter().position(|message| message.get("id") == Some(id)) {
            return self.aside.remove(at);
        }
        let end = Instant::now() + PATIENCE;
        loop {
            let message = self.next(end.saturating_duration_since(Instant::now()));
            let message = message.unwrap_or_else(|| panic!("no answer with the id {id}"));
            if message.get("id") == Some(id) && message.get("method").is_none() {
                return message;
            }
            self.aside.push(message);
        }
    }

    /// The next message, or nothing within `wait`. Anything on stdout that is no message fails the
    /// test.
    pub fn next(&mut self, wait: Duration) -> Option<Value> {
        match self.frames.recv_timeout(wait) {
            Ok(Ok(message)) => Some(message),
            Ok(Err(line)) => panic!("stdout carries something that is no message: {line:?}"),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    /// The messages that arrived while other answers were waited for.
    pub fn aside(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.aside)
    }

    /// The server's process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Closes stdin, as a host does that is done.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Closes the session and waits for the server to end. Gives its exit status and what it wrote to
    /// stderr; messages that arrive meanwhile are found with [`Session::next`].
    pub fn end(&mut self) -> (ExitStatus, String) {
        self.close_stdin();
        let status = self.wait();
        let mut log = String::new();
        if let Some(mut stderr) = self.stderr.take() {
            let _ = stderr.read_to_string(&mut log);
        }
        (status, log)
    }

    fn wait(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("the server can be waited for") {
                return status;
            }
            assert!(Instant::now() < end, "the server does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
