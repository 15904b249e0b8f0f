//! The `lcov` crate, as a peer: `coverage-peers stream|report FILE`.

use lcov::{Reader, Record, Report};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let reader = Reader::open_file(&arguments[1])?;
    if arguments[0] == "stream" {
        let (mut hit, mut found) = (0_u64, 0_u64);
        for record in reader {
            if let Record::LineData { count, .. } = record? {
                found += 1;
                hit += u64::from(count > 0);
            }
        }
        println!("{hit} of {found} lines");
    } else {
        println!("{} sections", Report::from_reader(reader)?.sections.len());
    }
    Ok(())
}
