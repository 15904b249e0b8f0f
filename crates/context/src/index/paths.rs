//! What the paths of a project say: which words stand in them, and which files only declare what others have. Knows
//! nothing of what is in the files.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::dictionary::Dictionary;
use super::view::FileEntry;

/// The shortest abbreviation of a word, in bytes.
const ABBREVIATION: usize = 3;

/// Which words stand in which paths.
#[derive(Debug, Default)]
pub(crate) struct PathIndex {
    stems: BTreeMap<Box<str>, Vec<u32>>,
    folders: BTreeMap<Box<str>, Vec<u32>>,
    stem_words: Vec<u8>,
    /// Headers that only declare what a source of the same name has, sorted.
    declaring: Vec<u32>,
    /// What the model calls the words of each path, and where each path's end.
    called: Vec<u16>,
    called_to: Vec<u32>,
}

impl PathIndex {
    pub(crate) fn of(files: &[FileEntry]) -> Self {
        let mut index = Self::default();
        let mut dictionary = Dictionary::default();
        let (mut stems, mut folder_words) = (Lists::default(), Lists::default());
        let mut terms = Vec::new();
        for (number, file) in files.iter().enumerate() {
            let (folders, stem) = name_parts(&file.path);
            let words = stems.note(&mut dictionary, stem, number as u32);
            index.stem_words.push(words.min(255) as u8);
            folder_words.note(&mut dictionary, folders, number as u32);
            terms.clear();
            dictionary.each_term(&file.path, |term| terms.push(term));
            for term in &terms {
                index.called.extend_from_slice(dictionary.called(*term));
            }
            index.called_to.push(index.called.len() as u32);
        }
        index.declaring = headers_with_sources(files);
        index.stems = stems.by_word(&dictionary);
        index.folders = folder_words.by_word(&dictionary);
        index
    }

    /// What the model calls the words of a file's path.
    pub(crate) fn called(&self, file: u32) -> &[u16] {
        let start = (file as usize).checked_sub(1).map_or(0, |before| self.called_to[before]);
        &self.called[start as usize..self.called_to[file as usize] as usize]
    }

    /// Whether a file is a header that only declares what a source of the same name has.
    pub(crate) fn only_declares(&self, file: u32) -> bool {
        self.declaring.binary_search(&file).is_ok()
    }

    /// Files with this word in their own name.
    pub(crate) fn with_stem(&self, word: &str) -> &[u32] {
        self.stems.get(word).map_or(&[], Vec::as_slice)
    }

    /// Files with a word in their own name that this one begins with, or that begins with it: `auth` and
    /// `authentication`, `attr` and `attributes`.
    pub(crate) fn with_abbreviated_stem<'v>(
        &'v self,
        word: &'v str,
    ) -> impl Iterator<Item = u32> + 'v {
        let ends = word.char_indices().map(|(at, _)| at).filter(|at| *at >= ABBREVIATION);
        let shorter = ends.filter_map(|end| self.stems.get(&word[..end]));
        let longer = self
            .stems
            .range::<str, _>((std::ops::Bound::Excluded(word), std::ops::Bound::Unbounded));
        let longer = longer
            .take_while(move |(stem, _)| word.len() >= ABBREVIATION && stem.starts_with(word))
            .map(|(_, files)| files);
        shorter.chain(longer).flatten().copied()
    }

    /// Files with this word in the names of their folders.
    pub(crate) fn with_folder(&self, word: &str) -> &[u32] {
        self.folders.get(word).map_or(&[], Vec::as_slice)
    }

    /// How many words a file's own name has, the whole of it not counted beside its parts.
    pub(crate) fn stem_words(&self, file: u32) -> f32 {
        let words = self.stem_words[file as usize];
        f32::from(if words > 2 { words - 1 } else { words.max(1) })
    }
}

/// Files by the number of a word that they have, while the words are being gathered.
#[derive(Default)]
struct Lists(Vec<Vec<u32>>);

impl Lists {
    /// Notes a file's words; says how many different ones there were.
    fn note(&mut self, dictionary: &mut Dictionary, words: &str, file: u32) -> usize {
        let mut different = 0;
        dictionary.each_term(words, |term| {
            let term = term as usize;
            if self.0.len() <= term {
                self.0.resize_with(term + 1, Vec::new);
            }
            if self.0[term].last() != Some(&file) {
                self.0[term].push(file);
                different += 1;
            }
        });
        different
    }

    fn by_word(self, dictionary: &Dictionary) -> BTreeMap<Box<str>, Vec<u32>> {
        let lists = self.0.into_iter().enumerate().filter(|(_, files)| !files.is_empty());
        lists
            .map(|(term, mut files)| {
                files.shrink_to_fit();
                (dictionary.term(term as u32).into(), files)
            })
            .collect()
    }
}

/// The headers of C and its kin for which there is a source of the same name, wherever it is.
fn headers_with_sources(files: &[FileEntry]) -> Vec<u32> {
    let named = |number: usize| {
        let path = files[number].path.as_str();
        path.rsplit_once('/').map_or(path, |(_, name)| name).rsplit_once('.').unwrap_or((path, ""))
    };
    let is_source = |ending: &str| matches!(ending, "c" | "cc" | "cpp" | "cxx" | "m" | "mm");
    let is_header = |ending: &str| matches!(ending, "h" | "hh" | "hpp" | "hxx");
    let names = || (0..files.len()).map(|number| (number, named(number)));
    let sources: FxHashSet<&str> =
        names().filter(|(_, (_, ending))| is_source(ending)).map(|(_, (stem, _))| stem).collect();
    let headers = names().filter(|(_, (stem, ending))| is_header(ending) && sources.contains(stem));
    headers.map(|(number, _)| number as u32).collect()
}

/// A path's folders, and its file name without endings; a file that stands for its folder has the folder's.
fn name_parts(path: &str) -> (&str, &str) {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    if matches!(name.split('.').next(), Some("mod" | "index" | "__init__" | "main" | "lib"))
        && !folders.is_empty()
    {
        return folders.rsplit_once('/').unwrap_or(("", folders));
    }
    let stem =
        name.split_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
    (folders, stem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::view::FileState;
    use crate::walk::Stamp;

    #[test]
    fn headers_that_only_declare() {
        let file = |path: &str| FileEntry {
            path: path.to_owned(),
            stamp: Stamp::default(),
            state: FileState::Binary,
        };
        let paths = ["Makefile", "include/all.hpp", "include/io.h", "src/io.c", "src/io.py", "x.h"];
        let files: Vec<FileEntry> = paths.into_iter().map(file).collect();
        let declaring = headers_with_sources(&files);
        let named: Vec<&str> = declaring.iter().map(|number| paths[*number as usize]).collect();
        assert_eq!(named, ["include/io.h"]);
    }
}
