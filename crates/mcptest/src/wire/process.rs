//! A server as a child process in a group of its own, so that nothing of it is left afterwards.

use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop, ProcessGroup};
use proofstone_contract::BoxFuture;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::Mutex as AsyncMutex;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{Envelope, Event, Events, NOT_JSON, StdioTarget, Wire};
use crate::{Direction, Exit, Fault, Journal, Payload};

/// The longest line that is taken for a message; the rest of a longer one is passed over.
const LONGEST_LINE: usize = 64 * 1024 * 1024;
/// How much of something that is no message is kept.
const SHOWN: usize = 4096;
/// How much of stderr is kept.
const STDERR_KEPT: usize = 16 * 1024;
/// How long a server may take to end once its stdin is closed, and again once it is asked to.
const PATIENCE: Duration = Duration::from_millis(1500);

type Tail = Arc<Mutex<Vec<u8>>>;

/// A running server.
pub(super) struct Process {
    child: AsyncMutex<Box<dyn ChildWrapper>>,
    stdin: AsyncMutex<Option<ChildStdin>>,
    stderr: Tail,
    /// Cancelled when all of stderr is read.
    heard: CancellationToken,
    journal: Arc<Journal>,
}

impl Process {
    pub(super) fn start(
        target: &StdioTarget,
        journal: Arc<Journal>,
        events: Events,
    ) -> Result<Self, Fault> {
        let mut command = Command::new(&target.command);
        command
            .args(&target.args)
            .envs(&target.env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(folder) = &target.cwd {
            command.current_dir(folder);
        }
        let fault = |error: std::io::Error| Fault::Start {
            command: target.command.clone(),
            reason: error.to_string(),
        };
        let mut command = CommandWrap::from(command);
        command.wrap(ProcessGroup::leader()).wrap(KillOnDrop);
        let mut child = command.spawn().map_err(fault)?;
        let piped = || fault(std::io::Error::other("its streams can't be read"));
        let stdout = child.stdout().take().ok_or_else(piped)?;
        let stderr = child.stderr().take().ok_or_else(piped)?;
        let stdin = child.stdin().take();
        let tail = Tail::default();
        let heard = CancellationToken::new();
        tokio::spawn(keep_tail(stderr, Arc::clone(&tail), heard.clone().drop_guard()));
        tokio::spawn(read(stdout, Arc::clone(&journal), events, heard.clone()));
        Ok(Self {
            child: AsyncMutex::new(child),
            stdin: AsyncMutex::new(stdin),
            stderr: tail,
            heard,
            journal,
        })
    }

    async fn write(&self, message: &Value) -> Result<(), Fault> {
        let line = format!("{message}\n");
        let payload = Payload::Message(message.clone());
        self.journal.keep(Direction::Sent, line.len(), payload);
        let mut stdin = self.stdin.lock().await;
        let Some(stdin) = stdin.as_mut() else { return Err(Fault::Closed) };
        let written = async {
            stdin.write_all(line.as_bytes()).await?;
            stdin.flush().await
        };
        match written.await {
            Ok(()) => Ok(()),
            Err(error) => Err(self.how_it_broke(&error).await),
        }
    }

    /// A write that fails mostly means that the server has ended: say how.
    async fn how_it_broke(&self, error: &std::io::Error) -> Fault {
        match self.exit().await {
            Some(exit) => Fault::Ended(exit),
            None => Fault::Broken(format!("its stdin can't be written: {error}")),
        }
    }

    async fn wait(&self, patience: Duration) -> Option<ExitStatus> {
        let mut child = self.child.lock().await;
        let end = tokio::time::Instant::now() + patience;
        loop {
            if let Ok(Some(status)) = child.try_wait() {
                return Some(status);
            }
            if tokio::time::Instant::now() >= end {
                return None;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// A connection that is dropped without being closed (its caller was interrupted, the program ends) leaves
/// nothing running either: not the server, nor what the server started.
impl Drop for Process {
    fn drop(&mut self) {
        let child = self.child.get_mut();
        if let Ok(None) = child.try_wait() {
            // It may have ended just now.
            let _ = child.start_kill();
        }
    }
}

impl Wire for Process {
    fn send<'a>(
        &'a self,
        message: &'a Value,
        _envelope: Envelope,
    ) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(self.write(message))
    }

    /// As the protocol says: close its stdin, then ask it to end, then end it; and its whole group, in
    /// case it left children behind.
    fn close(&self) -> BoxFuture<'_, Option<Exit>> {
        Box::pin(async {
            drop(self.stdin.lock().await.take());
            let mut status = self.wait(PATIENCE).await;
            if status.is_none() {
                let _ = self.child.lock().await.signal(TERMINATE);
                status = self.wait(PATIENCE).await;
            }
            let _ = self.child.lock().await.start_kill();
            if status.is_none() {
                status = self.wait(PATIENCE).await;
            }
            status.map(|status| exit(status, &self.stderr))
        })
    }

    fn exit(&self) -> BoxFuture<'_, Option<Exit>> {
        Box::pin(async {
            let status = self.wait(Duration::from_millis(500)).await?;
            hear_out(&self.heard).await;
            Some(exit(status, &self.stderr))
        })
    }

    fn stderr(&self) -> String {
        text_of(&self.stderr)
    }
}

const TERMINATE: i32 = 15;

async fn read(
    stdout: ChildStdout,
    journal: Arc<Journal>,
    events: Events,
    heard: CancellationToken,
) {
    let mut reader = BufReader::new(stdout);
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut bounded = (&mut reader).take(LONGEST_LINE as u64);
        match bounded.read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        let cut = line.len() == LONGEST_LINE && line.last() != Some(&b'\n');
        if !cut && line.trim_ascii().is_empty() {
            continue;
        }
        let event = if cut { too_long(&line, &journal) } else { read_line(&line, &journal) };
        if events.send(event).await.is_err() || (cut && !pass_over(&mut reader).await) {
            return;
        }
    }
    hear_out(&heard).await;
    let _ = events.send(Event::Ended(Fault::Closed)).await;
}

fn read_line(line: &[u8], journal: &Journal) -> Event {
    match serde_json::from_slice::<Value>(line) {
        Ok(value) => {
            let payload = Payload::Message(value.clone());
            let frame = journal.keep(Direction::Received, line.len(), payload);
            Event::Message { frame, value }
        }
        Err(_) => noise(line, journal, NOT_JSON),
    }
}

fn too_long(line: &[u8], journal: &Journal) -> Event {
    noise(line, journal, "a line of more than 64 MiB, which is not read as a message")
}

fn noise(line: &[u8], journal: &Journal, why: &'static str) -> Event {
    let text = line.trim_ascii();
    let shown = String::from_utf8_lossy(&text[..text.len().min(SHOWN)]).into_owned();
    let frame = journal.keep(Direction::Received, shown.len(), Payload::Text(shown));
    Event::Noise { frame, why }
}

/// Reads to the end of a line without keeping it; whether there is more after it.
async fn pass_over(reader: &mut BufReader<ChildStdout>) -> bool {
    loop {
        let Ok(read @ [_, ..]) = reader.fill_buf().await else { return false };
        let (count, ended) = match read.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (read.len(), false),
        };
        reader.consume(count);
        if ended {
            return true;
        }
    }
}

/// What a server said last explains why it ended. It arrives on another pipe, so wait a moment for it.
async fn hear_out(heard: &CancellationToken) {
    let _ = tokio::time::timeout(Duration::from_millis(200), heard.cancelled()).await;
}

async fn keep_tail(mut stderr: ChildStderr, tail: Tail, _heard: DropGuard) {
    let mut chunk = vec![0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut chunk).await {
        let mut kept = tail.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        kept.extend_from_slice(&chunk[..count]);
        let too_much = kept.len().saturating_sub(STDERR_KEPT);
        kept.drain(..too_much);
    }
}

fn text_of(tail: &Tail) -> String {
    let kept = tail.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    String::from_utf8_lossy(&kept).into_owned()
}

fn exit(status: ExitStatus, tail: &Tail) -> Exit {
    Exit { code: status.code(), signal: status.signal(), stderr: text_of(tail) }
}
