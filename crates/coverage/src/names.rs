//! Names as compilers write them and as people know them.

use std::fmt::{self, Write};

use cpp_demangle::{DemangleOptions, Symbol};

/// Longer names are left alone: taking them apart costs more than reading them gains.
const LONGEST: usize = 4_000;
/// A mangled name may refer to its own parts and grow beyond all bounds.
const LONGEST_DEMANGLED: usize = 2_000;

/// The name in the words of Rust or C++ where a compiler mangled it, else as it is.
pub(crate) fn demangled(name: String) -> String {
    if name.len() > LONGEST || !name.contains("_Z") && !name.contains("_R") {
        return name;
    }
    rust(&name).or_else(|| cpp(&name)).unwrap_or(name)
}

/// Without the hash at the end.
fn rust(name: &str) -> Option<String> {
    let symbol = rustc_demangle::try_demangle(name).ok()?;
    let mut text = Bounded(String::new());
    write!(text, "{symbol:#}").ok()?;
    Some(text.0)
}

fn cpp(name: &str) -> Option<String> {
    let symbol = Symbol::new(name.trim_start_matches("__").as_bytes());
    let symbol = symbol.or_else(|_| Symbol::new(name.as_bytes())).ok()?;
    let mut text = Bounded(String::new());
    symbol.structured_demangle(&mut text, &DemangleOptions::new()).ok()?;
    Some(text.0)
}

/// Text that refuses to grow too long.
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > LONGEST_DEMANGLED {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_people_know() {
        for (name, expected) in [
            ("main", "main"),
            ("_private", "_private"),
            ("Module.method", "Module.method"),
            ("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"),
            ("_RNvCskwGfYPst2Cb_3foo3bar", "foo::bar"),
            ("_ZN3foo3barEi", "foo::bar(int)"),
            ("__ZN3foo3barEi", "foo::bar(int)"),
            (
                "_ZNSt6vectorIiSaIiEE9push_backERKi",
                "std::vector<int, std::allocator<int> >::push_back(int const&)",
            ),
            ("_Z", "_Z"),
            ("_ZZZZ", "_ZZZZ"),
            ("my_Zone", "my_Zone"),
            ("file.cpp:_ZL6helperv", "file.cpp:_ZL6helperv"),
        ] {
            assert_eq!(demangled(name.to_owned()), expected);
        }
    }

    #[test]
    fn a_name_that_would_grow_stays_as_it_is() {
        let mut name = "_Z1f".to_owned();
        name += "I1aS_";
        for at in 0..30 {
            let _ = write!(name, "1xIS{at}_S{at}_E");
        }
        let shown = demangled(name.clone());
        assert!(shown.len() <= LONGEST_DEMANGLED.max(name.len()));
    }
}
