//! No bytes make a reader panic or hang, whatever they look like at first.

use proofstone_coverage::diff;
use proofstone_coverage::formats;
use proptest::collection::vec;
use proptest::prelude::*;

fn read(bytes: &[u8]) {
    // Whether it is read or refused, it must come to an end.
    let _ = formats::read(bytes, bytes);
}

/// Beginnings of every format, so that random bytes get past the detection.
const HEADS: [&str; 8] = [
    "SF:a\n",
    "mode: set\n",
    "<coverage line-rate=\"1\"><class filename=\"a\"><lines>",
    "<report><package name=\"p\"><sourcefile name=\"a\">",
    "<coverage clover=\"3.2.0\"><project><file path=\"a\">",
    "{\"/a.js\":{\"statementMap\":{",
    "{\"meta\":{},\"files\":{",
    "{\"data\":[{\"files\":[{\"filename\":\"a\",\"segments\":[",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_bytes(head in 0..HEADS.len(), tail in vec(any::<u8>(), 0..200)) {
        read(&tail);
        read(&[HEADS[head].as_bytes(), &tail].concat());
    }

    #[test]
    fn random_xml(head in 2..5_usize, lines in vec("<line (number|nr|num)=\"[0-9-]{0,12}\" (hits|mi|count)=\"[0-9-]{0,3}\" (condition-coverage|ci|type)=\"[0-9%(/)]{0,14}\"/?>", 0..6)) {
        read(format!("{}{}", HEADS[head], lines.concat()).as_bytes());
    }

    #[test]
    fn random_segments(segments in vec((0..9_u64, any::<u32>(), any::<u8>(), any::<bool>(), any::<bool>()), 0..9)) {
        let segments = serde_json::to_string(&segments).expect("numbers can be written");
        read(format!("{{\"data\":[{{\"files\":[{{\"filename\":\"a\",\"segments\":{segments}}}]}}]}}").as_bytes());
    }

    #[test]
    fn damaged_reports(cut in 0..4_000_usize, flip in 0..4_000_usize, which in 0..4_usize) {
        let files: [&[u8]; 4] = [
            include_bytes!("../fixtures/jacoco/jacoco.xml"),
            include_bytes!("../fixtures/python/coverage.json"),
            include_bytes!("../fixtures/nyc/clover.xml"),
            include_bytes!("../fixtures/c/gcc.info"),
        ];
        let mut bytes = files[which].to_vec();
        let length = bytes.len();
        bytes[flip % length] ^= 0x15;
        read(&bytes);
        read(&bytes[..cut.min(length)]);
    }

    #[test]
    fn random_diffs(lines in vec("(--- |\\+\\+\\+ |@@ -|diff --git |\\+|-| |rename from |Binary files )[a-z0-9,+@ /\"\\\\]{0,12}", 0..12)) {
        let _ = diff::parse(&lines.join("\n"));
    }
}
