//! A segment's bytes: read from its file as they are needed, or kept in memory where there is no file.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Deref;
use std::path::Path;

use memmap2::Mmap;

use super::bytes::SEAL;

/// The bytes of a segment without their seal.
pub(crate) enum Body {
    /// In memory.
    Owned(Vec<u8>),
    /// In a file, with the seal behind them.
    Mapped(Mmap),
}

impl Body {
    /// The bytes of a file whose seal is right; `None` for one that was cut short, is foreign, or damaged.
    pub(crate) fn open(path: &Path) -> io::Result<Option<Self>> {
        let mut file = File::open(path)?;
        let Some(length) = file.metadata()?.len().checked_sub(SEAL as u64) else { return Ok(None) };
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(file.by_ref().take(length))?;
        let mut seal = [0; SEAL];
        file.read_exact(&mut seal)?;
        if hasher.finalize().as_bytes() != &seal {
            return Ok(None);
        }
        Self::map(&file).map(Some)
    }

    /// The bytes of a file that was just written.
    pub(crate) fn written(path: &Path) -> io::Result<Self> {
        Self::map(&File::open(path)?)
    }

    fn map(file: &File) -> io::Result<Self> {
        #[expect(
            unsafe_code,
            reason = "a segment's file gets its name when it is whole and is never written again"
        )]
        // SAFETY: nothing writes to the file: it is replaced by others and deleted, which leaves what is mapped.
        unsafe { Mmap::map(file) }.map(Self::Mapped)
    }
}

impl Deref for Body {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Owned(bytes) => bytes,
            Self::Mapped(file) => &file[..file.len().saturating_sub(SEAL)],
        }
    }
}
