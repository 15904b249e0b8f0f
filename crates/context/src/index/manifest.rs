//! The files a project had when it was last looked at, each with the content it held. It saves reading files
//! that have not changed; losing it costs one reading of everything and nothing else.

use super::bytes::{push_u32, push_u64, seal, take_u32, take_u64, unseal};
use super::segment::FORMAT;
use super::view::{FileEntry, FileState};
use crate::walk::Stamp;

const MAGIC: &[u8; 8] = b"PRFSTMAN";

/// The manifest's bytes without their seal. `written` is when the walk began, in nanoseconds since 1970.
pub(crate) fn write(files: &[FileEntry], written: u64) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    push_u32(&mut out, FORMAT);
    push_u64(&mut out, written);
    push_u32(&mut out, files.len() as u32);
    for file in files {
        push_u32(&mut out, file.path.len() as u32);
        out.extend_from_slice(file.path.as_bytes());
        let stamp = file.stamp;
        for number in [stamp.size, stamp.modified, stamp.changed, stamp.inode] {
            push_u64(&mut out, number);
        }
        let (tag, hash) = match file.state {
            FileState::Indexed(hash) => (0, hash),
            FileState::Binary => (1, [0; 32]),
            FileState::TooLarge => (2, [0; 32]),
            FileState::Unreadable => (3, [0; 32]),
        };
        out.push(tag);
        out.extend_from_slice(&hash);
    }
    out
}

/// Reads a manifest; `None` for anything that is not whole and of this version.
pub(crate) fn read(sealed: Vec<u8>) -> Option<(Vec<FileEntry>, u64)> {
    let body = unseal(sealed)?;
    let mut rest = body.strip_prefix(MAGIC)?;
    if take_u32(&mut rest)? != FORMAT {
        return None;
    }
    let written = take_u64(&mut rest)?;
    let count = take_u32(&mut rest)?;
    let files = (0..count).map(|_| take_file(&mut rest)).collect::<Option<Vec<_>>>()?;
    Some((files, written))
}

fn take_file(rest: &mut &[u8]) -> Option<FileEntry> {
    let length = take_u32(rest)? as usize;
    let (path, after) = rest.split_at_checked(length)?;
    *rest = after;
    let path = String::from_utf8(path.to_vec()).ok()?;
    let stamp = Stamp {
        size: take_u64(rest)?,
        modified: take_u64(rest)?,
        changed: take_u64(rest)?,
        inode: take_u64(rest)?,
    };
    let (tag, after) = rest.split_first()?;
    let (hash, after) = after.split_at_checked(32)?;
    *rest = after;
    let state = match tag {
        0 => FileState::Indexed(hash.try_into().ok()?),
        1 => FileState::Binary,
        2 => FileState::TooLarge,
        _ => FileState::Unreadable,
    };
    Some(FileEntry { path, stamp, state })
}

/// Takes any bytes for the files of a manifest; one that can be read is read the same after writing it.
pub(crate) fn read_any(bytes: &[u8]) -> Option<Vec<FileEntry>> {
    let mut rest = bytes;
    let files: Vec<FileEntry> = std::iter::from_fn(|| take_file(&mut rest)).collect();
    let (again, _) = read(seal(write(&files, 0)))?;
    (again == files).then_some(files)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), length in 0_u32..9) {
            let mut file = length.to_le_bytes().to_vec();
            file.extend(bytes);
            prop_assert!(read_any(&file).is_some());
        }
    }

    #[test]
    fn comes_back_whole_or_not_at_all() {
        let stamp = Stamp { size: 1, modified: 2, changed: 3, inode: 4 };
        let files = [
            FileState::Indexed([7; 32]),
            FileState::Binary,
            FileState::TooLarge,
            FileState::Unreadable,
        ]
        .map(|state| FileEntry { path: "src/ü.rs".to_owned(), stamp, state });
        let sealed = seal(write(&files, 99));
        assert_eq!(read(sealed.clone()), Some((files.to_vec(), 99)));
        for cut in 0..sealed.len() {
            assert_eq!(read(sealed[..cut].to_vec()), None);
        }
    }
}
