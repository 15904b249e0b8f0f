//! Any text cut into words and turned into a vector: no word is empty, and the same text has the same vector.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofstone_embed::Model;
use proofstone_embed::tokens::{each_token, question_tokens};

fuzz_target!(|text: &str| {
    each_token(text, |token| assert!(!token.is_empty()));
    question_tokens(text);
    let model = Model::embedded().expect("the model in the binary");
    assert_eq!(model.code_text(text), model.code_text(text));
});
