//! Vectors on disk, by the text they stand for, so that no text is paid for twice. What can't be read or
//! written is simply made anew.

use std::path::{Path, PathBuf};

/// A folder of vectors of one model.
#[derive(Debug)]
pub(super) struct Shelf(PathBuf);

impl Shelf {
    pub(super) fn new(cache: &Path, model: &str) -> Self {
        let name = blake3::hash(model.as_bytes()).to_hex();
        Self(cache.join("embeddings").join(&name.as_str()[..16]))
    }

    pub(super) fn get(&self, text: &str) -> Option<Vec<f32>> {
        let bytes = std::fs::read(self.place(text)).ok()?;
        let (numbers, rest) = bytes.as_chunks::<4>();
        let whole = rest.is_empty() && !numbers.is_empty();
        whole.then(|| numbers.iter().map(|number| f32::from_le_bytes(*number)).collect())
    }

    /// Written aside and then renamed, so that a reader never sees half a vector.
    pub(super) fn put(&self, text: &str, vector: &[f32]) {
        let place = self.place(text);
        let aside = place.with_extension(format!("new-{}", std::process::id()));
        let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
        let folder = place.parent().unwrap_or(&self.0);
        let written = std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&aside, bytes))
            .and_then(|()| std::fs::rename(&aside, &place));
        if written.is_err() {
            let _ = std::fs::remove_file(&aside);
        }
    }

    fn place(&self, text: &str) -> PathBuf {
        let name = blake3::hash(text.as_bytes()).to_hex();
        self.0.join(&name.as_str()[..2]).join(&name.as_str()[2..])
    }
}
