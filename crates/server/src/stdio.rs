//! MCP over stdin and stdout, one JSON message a line.
//!
//! Hosts differ in what they hand a child: Python gives pipes, Node gives sockets, a test gives
//! files. Pipes and sockets are read without a thread in between, which halves the latency. Whatever
//! arrives, the session lives: a line that can't be read is answered with an error.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ErrorCode, ErrorData, RequestId};
use rmcp::service::{RxJsonRpcMessage, ServiceExt, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{UnixStream, unix::pipe};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::{Mcp, ServeError, Serving};

/// The longest line that is read: as much as the streamable HTTP clients of the SDKs accept.
const LONGEST_LINE: usize = 16 * 1024 * 1024;

type Reader = Box<dyn AsyncRead + Send + Unpin>;
type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// Serves one session on stdin and stdout until the client closes it or `stop` fires. Calls in
/// flight are finished and answered first.
pub async fn serve_stdio(serving: Arc<Serving>, stop: CancellationToken) -> Result<(), ServeError> {
    let transport = LineTransport::new(stdin()?, stdout()?, stop.clone());
    let session = Mcp::new(serving, "stdio");
    match session.serve(transport).await {
        Ok(running) => drop(running.waiting().await?),
        // A client that closes before it opens a session has changed its mind.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => {}
        Err(error) => return Err(Box::new(error).into()),
    }
    Ok(())
}

fn stdin() -> io::Result<Reader> {
    let file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let kind = file.metadata()?.file_type();
    Ok(if kind.is_socket() {
        Box::new(socket(file.into())?)
    } else if kind.is_fifo() {
        Box::new(pipe::Receiver::from_file(file)?)
    } else {
        Box::new(tokio::io::stdin())
    })
}

fn stdout() -> io::Result<Writer> {
    let file = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let kind = file.metadata()?.file_type();
    Ok(if kind.is_socket() {
        Box::new(socket(file.into())?)
    } else if kind.is_fifo() {
        Box::new(pipe::Sender::from_file(file)?)
    } else {
        Box::new(tokio::io::stdout())
    })
}

fn socket(fd: OwnedFd) -> io::Result<UnixStream> {
    let socket = StdUnixStream::from(fd);
    socket.set_nonblocking(true)?;
    UnixStream::from_std(socket)
}

/// JSON messages as lines over any pair of streams.
pub struct LineTransport {
    reader: BufReader<Reader>,
    line: Vec<u8>,
    /// The rest of a line that is too long is being passed over.
    skipping: bool,
    writer: Arc<Mutex<Writer>>,
    stop: CancellationToken,
}

impl std::fmt::Debug for LineTransport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LineTransport").field("buffered", &self.line.len()).finish_non_exhaustive()
    }
}

/// A line's end, or why there is none.
enum Line {
    Whole,
    TooLong,
    End,
}

impl LineTransport {
    /// A transport over two streams. When `stop` fires it reads no more, as if the client had closed.
    pub fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        stop: CancellationToken,
    ) -> Self {
        Self {
            reader: BufReader::with_capacity(64 * 1024, Box::new(reader)),
            line: Vec::new(),
            skipping: false,
            writer: Arc::new(Mutex::new(Box::new(writer))),
            stop,
        }
    }

    /// Reads up to the next line's end. Dropping the future loses nothing: what was read stays in
    /// `line`, and the next call goes on from there.
    async fn read_line(&mut self) -> io::Result<Line> {
        loop {
            let available = tokio::select! {
                biased;
                () = self.stop.cancelled() => return Ok(Line::End),
                available = self.reader.fill_buf() => available?,
            };
            if available.is_empty() {
                return Ok(Line::End);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            let skipped = self.skipping;
            let too_long = !skipped && self.line.len() + taken > LONGEST_LINE;
            if !skipped && !too_long {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.reader.consume(taken);
            self.skipping = (skipped || too_long) && end.is_none();
            if too_long {
                self.line = Vec::new();
                return Ok(Line::TooLong);
            }
            if end.is_some() && !skipped {
                return Ok(Line::Whole);
            }
        }
    }
}

impl Transport<RoleServer> for LineTransport {
    type Error = io::Error;

    fn name() -> Cow<'static, str> {
        "lines".into()
    }

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let writer = Arc::clone(&self.writer);
        async move { write(&writer, &message).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let line = match self.read_line().await {
                Ok(line) => line,
                Err(error) => {
                    tracing::error!(%error, "stdin can't be read");
                    return None;
                }
            };
            let (error, id) = match line {
                Line::End => return None,
                Line::TooLong => (too_long(), None),
                Line::Whole => {
                    let parsed = parse(&self.line);
                    self.line.clear();
                    match parsed {
                        Ok(Some(message)) => return Some(message),
                        Ok(None) => continue,
                        Err(fault) => fault,
                    }
                }
            };
            tracing::warn!(error = %error.message, "a message can't be read");
            let answer = TxJsonRpcMessage::<RoleServer>::error(error, id);
            let writer = Arc::clone(&self.writer);
            write(&writer, &answer).await.ok()?;
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.writer.lock().await.flush().await
    }
}

async fn write(writer: &Mutex<Writer>, message: &TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut writer = writer.lock().await;
    writer.write_all(&line).await?;
    writer.flush().await
}

fn too_long() -> ErrorData {
    let said = format!("a message may be at most {LONGEST_LINE} bytes long; this one was dropped");
    ErrorData::invalid_request(said, None)
}

/// Reads a line as a message: nothing for a blank one, or the error to answer with and the id of the
/// request that it belongs to, as far as one can be made out.
fn parse(
    line: &[u8],
) -> Result<Option<RxJsonRpcMessage<RoleServer>>, (ErrorData, Option<RequestId>)> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let fault = match serde_json::from_slice(line) {
        Ok(message) => return Ok(Some(message)),
        Err(fault) => fault,
    };
    match serde_json::from_slice::<Value>(line) {
        Ok(value) => Err((misshapen(&value), id_of(&value))),
        Err(_) => {
            let said = format!("a line is not JSON: {fault}");
            Err((ErrorData::new(ErrorCode::PARSE_ERROR, said, None), None))
        }
    }
}

fn misshapen(value: &Value) -> ErrorData {
    let said = match value {
        Value::Array(_) => "batches are not part of this protocol; send one message a line",
        Value::Object(object) if object.get("jsonrpc") != Some(&Value::from("2.0")) => {
            "a message needs \"jsonrpc\": \"2.0\""
        }
        Value::Object(_) => "a message is a request, a notification or a response; this is none",
        _ => "a message is a JSON object",
    };
    ErrorData::invalid_request(said, None)
}

fn id_of(value: &Value) -> Option<RequestId> {
    serde_json::from_value(value.get("id")?.clone()).ok()
}
