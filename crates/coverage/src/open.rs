//! Opening reports: where a path leads, whether it may be read, and whether the file stood still
//! while it was.

use std::fs::{File, Metadata};
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use flate2::bufread::MultiGzDecoder;
use proofstone_jail::{Policy, Root};

use crate::formats::{self, FormatError, Looks, looks_like};
use crate::paths::normalise;
use crate::report::{Format, Report};

/// Where test runners usually leave their reports, the likeliest first.
pub const USUAL_PLACES: [&str; 16] = [
    "coverage/lcov.info",
    "lcov.info",
    "coverage.lcov",
    "coverage.info",
    "target/lcov.info",
    "build/lcov.info",
    "coverage/coverage-final.json",
    "coverage.xml",
    "coverage/cobertura-coverage.xml",
    "cobertura.xml",
    "coverage/clover.xml",
    "coverage.json",
    "coverage.out",
    "cover.out",
    "target/site/jacoco/jacoco.xml",
    "build/reports/jacoco/test/jacocoTestReport.xml",
];

/// Enough of a report to tell its format.
const HEAD: usize = 64 << 10;
/// What a compressed report may unpack to: a bomb is told from a large report here.
const LARGEST_UNPACKED: u64 = 16 << 30;
/// Only LCOV is read without keeping the text; other formats are refused above this.
const LARGEST_OTHER: u64 = 2 << 30;
const TRIES: usize = 3;

/// Why a report could not be had. Messages are the contract's.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// No such file.
    #[error("LCOV file not found at path {path}")]
    NotFound {
        /// The path as it was asked for.
        path: String,
    },
    /// There is a file and it can't be read.
    #[error("Cannot read LCOV file: {reason}")]
    Unreadable {
        /// Why.
        reason: String,
    },
    /// The file was read and is no report.
    #[error("Failed to parse LCOV file: {reason}")]
    Unparsable {
        /// Why, and where reading stopped.
        reason: String,
    },
}

impl From<FormatError> for ReportError {
    fn from(error: FormatError) -> Self {
        Self::Unparsable { reason: error.to_string() }
    }
}

/// Which reports may be opened.
#[derive(Clone, Debug)]
pub struct Place {
    root: PathBuf,
    jailed: bool,
}

/// What tells one state of a file from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    size: u64,
    modified: Option<SystemTime>,
    number: (u64, u64),
    /// When anything about the file changed, which no program can set back.
    changed: (i64, i64),
}

/// Line totals of a report that was not kept.
pub(crate) struct Counted<T> {
    pub(crate) value: T,
    pub(crate) identity: Identity,
}

impl Place {
    /// Relative paths are relative to `root`; with `jailed`, nothing outside it is opened.
    pub fn new(root: impl Into<PathBuf>, jailed: bool) -> Self {
        Self { root: root.into(), jailed }
    }

    /// The project root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where a path leads.
    pub(crate) fn resolve(&self, path: &str) -> PathBuf {
        match path.starts_with("file://") {
            true => PathBuf::from(normalise(path)),
            false => self.root.join(path),
        }
    }

    /// What the file is now.
    pub(crate) fn identity(&self, path: &str) -> Result<Identity, ReportError> {
        let metadata = self.open(path)?.metadata().map_err(|error| refused(path, &error))?;
        Ok(Identity::of(&metadata))
    }

    fn open(&self, path: &str) -> Result<File, ReportError> {
        if path.trim().is_empty() {
            return Err(ReportError::Unreadable { reason: "the path is empty".to_owned() });
        }
        let file = if self.jailed { self.open_jailed(path)? } else { self.open_free(path)? };
        let metadata = file.metadata().map_err(|error| refused(path, &error))?;
        if metadata.is_dir() {
            return Err(ReportError::Unreadable {
                reason: format!("{path} is a directory; name the report inside it"),
            });
        }
        if !metadata.is_file() {
            return Err(ReportError::Unreadable {
                reason: format!("{path} is not a regular file"),
            });
        }
        Ok(file)
    }

    fn open_free(&self, path: &str) -> Result<File, ReportError> {
        let resolved = self.resolve(path);
        // Opening a pipe would wait for a writer, so the kind of file is asked first.
        match std::fs::metadata(&resolved) {
            Ok(metadata) if metadata.is_file() || metadata.is_dir() => {}
            Ok(_) => {
                let reason = format!("{path} is not a regular file");
                return Err(ReportError::Unreadable { reason });
            }
            Err(error) => return Err(refused(path, &error)),
        }
        File::open(&resolved).map_err(|error| refused(path, &error))
    }

    fn open_jailed(&self, path: &str) -> Result<File, ReportError> {
        let unreadable = |reason: String| ReportError::Unreadable { reason };
        let policy = Policy::project().allowing(".coverage");
        let root = Root::open(&self.root, policy).map_err(|error| unreadable(error.to_string()))?;
        let resolved = self.resolve(path);
        let outside = || {
            unreadable(format!(
                "{path} is outside the project root, and this server reads reports only inside it \
                 (--jail-reports)"
            ))
        };
        let relative = root.relative(&resolved).ok_or_else(outside)?;
        match root.open_file(&relative.to_string_lossy()) {
            Ok(file) => Ok(file.into_std()),
            Err(proofstone_jail::JailError::NotFound { .. }) => {
                Err(ReportError::NotFound { path: path.to_owned() })
            }
            Err(error) => Err(unreadable(error.to_string())),
        }
    }

    /// Whether the file is an SQLite database.
    pub(crate) fn is_database(&self, path: &str) -> Result<bool, ReportError> {
        let mut head = Vec::new();
        let read = self.open(path)?.take(16).read_to_end(&mut head);
        read.map_err(|error| refused(path, &error))?;
        Ok(looks_like(&head) == Looks::Like(Format::CoveragePyDatabase))
    }

    /// Reads a whole report.
    pub(crate) fn report(&self, path: &str) -> Result<Counted<Report>, ReportError> {
        self.steadily(path, |file, size| {
            let mut input = Input::new(file, size)?;
            let head = std::mem::take(&mut input.head);
            let reader = BufReader::new(input.whole(&head));
            self.in_project(formats::read(&head, reader))
        })
    }

    /// Counts a report's lines, keeping as little as the format allows.
    pub(crate) fn totals(&self, path: &str) -> Result<Counted<Totals>, ReportError> {
        self.steadily(path, |file, size| {
            let mut input = Input::new(file, size)?;
            let head = std::mem::take(&mut input.head);
            let lcov = looks_like(&head) == Looks::Like(Format::Lcov);
            let reader = input.whole(&head);
            if lcov {
                return Ok(Totals::Lcov(formats::totals(reader, &self.root.to_string_lossy())?));
            }
            let report = formats::read(&head, BufReader::new(reader));
            Ok(Totals::Other(self.in_project(report)?))
        })
    }

    fn in_project(&self, report: Result<Report, FormatError>) -> Result<Report, FormatError> {
        Ok(report?.beneath(&self.root.to_string_lossy()))
    }

    /// Reads until the file is the same before and after: a test run may be rewriting it.
    fn steadily<T>(
        &self,
        path: &str,
        read: impl Fn(File, u64) -> Result<T, FormatError>,
    ) -> Result<Counted<T>, ReportError> {
        let mut last = None;
        for _ in 0..TRIES {
            let file = self.open(path)?;
            let before = Identity::of(&file.metadata().map_err(|error| refused(path, &error))?);
            let result = read(file, before.size);
            if self.identity(path)? == before {
                return Ok(Counted { value: result?, identity: before });
            }
            last = result.err();
        }
        let seen = last.map_or(String::new(), |error| format!(" ({error})"));
        Err(ReportError::Unreadable {
            reason: format!(
                "{path} keeps changing while it is read{seen}; try again when the tests are done"
            ),
        })
    }
}

/// Line totals, kept as small as the format allows.
pub(crate) enum Totals {
    Lcov(proofstone_lcov::Totals),
    Other(Report),
}

impl Identity {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        let number = (metadata.dev(), metadata.ino());
        let changed = (metadata.ctime(), metadata.ctime_nsec());
        Self { size: metadata.len(), modified: metadata.modified().ok(), number, changed }
    }

    #[cfg(not(unix))]
    fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok();
        Self { size: metadata.len(), modified, number: (0, 0), changed: (0, 0) }
    }

    /// When the report was written.
    pub(crate) fn modified(&self) -> Option<SystemTime> {
        self.modified
    }
}

/// A report's bytes, unpacked if they were packed.
struct Input {
    head: Vec<u8>,
    rest: Box<dyn Read>,
}

impl Input {
    fn new(file: File, size: u64) -> Result<Self, FormatError> {
        // A file that grows is not chased: what comes after its size at the beginning is left to the
        // next try.
        let mut input = Self::plain(file.take(size))?;
        if input.head.starts_with(b"\x1f\x8b") {
            let head = std::mem::take(&mut input.head);
            let packed = BufReader::new(Cursor::new(head).chain(input.rest));
            let unpacked = Unpacked { inner: MultiGzDecoder::new(packed), left: LARGEST_UNPACKED };
            input = Self::plain(unpacked)?;
        }
        let other =
            matches!(looks_like(&input.head), Looks::Like(format) if format != Format::Lcov);
        if other {
            input.rest = Box::new(input.rest.take(LARGEST_OTHER));
        }
        if other && size > LARGEST_OTHER {
            let what = "reports larger than 2 GiB are read only as LCOV";
            return Err(FormatError::Unknown(format!("invalid format: {what}")));
        }
        Ok(input)
    }

    fn plain(mut reader: impl Read + 'static) -> Result<Self, FormatError> {
        let mut head = Vec::new();
        reader.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
        Ok(Self { head, rest: Box::new(reader) })
    }

    fn whole(self, head: &[u8]) -> impl Read {
        Cursor::new(head.to_vec()).chain(self.rest)
    }
}

/// A decoder that says what went wrong in words, and stops at a bomb.
struct Unpacked<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer).map_err(|error| {
            let what = match error.kind() {
                io::ErrorKind::UnexpectedEof => "the gzip file is cut off".to_owned(),
                _ => format!("the gzip file is damaged: {error}"),
            };
            io::Error::other(what)
        })?;
        self.left = self
            .left
            .checked_sub(read as u64)
            .ok_or_else(|| io::Error::other("the gzip file unpacks to more than 16 GiB"))?;
        Ok(read)
    }
}

fn refused(path: &str, error: &io::Error) -> ReportError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            ReportError::NotFound { path: path.to_owned() }
        }
        io::ErrorKind::PermissionDenied => {
            ReportError::Unreadable { reason: "permission denied".to_owned() }
        }
        _ => ReportError::Unreadable { reason: error.to_string() },
    }
}
