//! Keys and passwords that stand in code are not repeated in answers.
//!
//! Known by their form alone: the fixed beginnings that services give their keys, private key blocks, and long
//! random strings given to something called a password, a secret or a token. A snippet says what was taken out;
//! `read_file` shows a file as it is, because what is edited has to be whole.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// What a secret is, and how it looks. A group named `secret` is what is taken out; without one, all of it is.
const FORMS: &[(&str, &str)] = &[
    (
        "private key",
        r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)",
    ),
    ("AWS access key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("GitHub token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})\b"),
    ("GitLab token", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    ("Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("Google key", r"\bAIza[0-9A-Za-z_-]{35}"),
    ("Stripe key", r"\b[rs]k_(?:live|test)_[0-9A-Za-z]{20,}"),
    ("npm token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("PyPI token", r"\bpypi-[A-Za-z0-9_-]{60,}"),
    ("API key", r"\bsk-(?:[a-z]+-)*[A-Za-z0-9_-]{32,}"),
    ("JSON web token", r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    ("password in an address", r"\b[a-z][a-z0-9+.-]*://[^\s:/@]+:(?P<secret>[^\s/@]{3,})@"),
    (
        "secret",
        r#"(?i)\b[\w.-]*(?:password|passwd|secret|token|api_?key|access_?key|private_?key)[\w.-]*["']?\s*(?::=|=>|[:=])\s*["'](?P<secret>[^"'\s]{16,})["']"#,
    ),
];
/// How many kinds of characters a value needs to look random: lower case, upper case, digits.
const KINDS: usize = 2;

static COMPILED: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    // A form that did not compile would be missing here, which a test rules out.
    FORMS.iter().filter_map(|(name, form)| Some((*name, Regex::new(form).ok()?))).collect()
});

/// The text with secrets replaced by what they are, and how many there were.
pub fn redact(text: &str) -> (Cow<'_, str>, usize) {
    let mut shown = Cow::Borrowed(text);
    let mut count = 0;
    for (name, form) in COMPILED.iter() {
        if !form.is_match(&shown) {
            continue;
        }
        let replaced =
            form.replace_all(&shown, |found: &Captures<'_>| replacement(name, found, &mut count));
        shown = Cow::Owned(replaced.into_owned());
    }
    (shown, count)
}

fn replacement(name: &str, found: &Captures<'_>, count: &mut usize) -> String {
    let whole = found.get(0).map_or("", |m| m.as_str());
    let secret = found.name("secret").map_or(whole, |m| m.as_str());
    if name == "secret" && !looks_random(secret) || secret.starts_with("[redacted") {
        return whole.to_owned();
    }
    *count += 1;
    let lines = secret.matches('\n').count();
    // As many lines as before, so that line numbers stay true.
    whole.replace(secret, &format!("[redacted: {name}]{}", "\n".repeat(lines)))
}

/// Whether a value is a key and not the name of one: `${TOKEN}`, `your-token-here` and `process.env.KEY` are not.
fn looks_random(value: &str) -> bool {
    let kinds: [fn(char) -> bool; 3] =
        [|c| c.is_ascii_lowercase(), |c| c.is_ascii_uppercase(), |c| c.is_ascii_digit()];
    let present = kinds.iter().filter(|kind| value.chars().any(kind)).count();
    let is_plain = value.chars().all(|c| c.is_ascii_alphanumeric() || "+/=_-".contains(c));
    let has_digit = value.chars().any(|c| c.is_ascii_digit());
    is_plain && has_digit && present >= KINDS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_form_compiles() {
        assert_eq!(COMPILED.len(), FORMS.len());
    }

    #[test]
    fn secrets_are_taken_out_and_named() {
        let key = |parts: [&str; 2]| parts.concat();
        let secrets = [
            (key(["AKIA", "IOSFODNN7EXAMPLE"]), "AWS access key"),
            (key(["ghp_", "abcdefghijklmnopqrstuvwxyz0123456789"]), "GitHub token"),
            (key(["AIza", "SyA1234567890abcdefghijklmnopqrstuv"]), "Google key"),
            (key(["sk_live_", "abcdefghijklmnopqrstuvwx"]), "Stripe key"),
            (key(["xoxb-", "123456789012-abcdef"]), "Slack token"),
        ];
        for (secret, name) in secrets {
            let (shown, count) = redact(&secret);
            assert_eq!((&*shown, count), (format!("[redacted: {name}]").as_str(), 1));
        }
        let (shown, _) = redact("db = \"postgres://app:hunter2@localhost/db\"");
        assert_eq!(
            shown,
            "db = \"postgres://app:[redacted: password in an address]@localhost/db\""
        );
        let (shown, _) = redact("api_key: 'a8Fk2Lq9Zx7Pw3Vb5Nm1'");
        assert_eq!(shown, "api_key: '[redacted: secret]'");
        let block = [
            "-----BEGIN RSA PRIV",
            "ATE KEY-----\nMII\nabc\n-----END RSA PRIV",
            "ATE KEY-----\nafter",
        ]
        .concat();
        assert_eq!(redact(&block).0, "[redacted: private key]\n\n\n\nafter");
    }

    #[test]
    fn names_of_secrets_are_left_alone() {
        for text in [
            "token = os.environ[\"GITHUB_TOKEN\"]",
            "password: \"${DATABASE_PASSWORD}\"",
            "secret = \"your-secret-goes-here\"",
            "const TOKEN_URL = 'https://example.com/oauth/token';",
            "fn access_key(&self) -> &str",
            "let risk-assessment-of-the-whole-project-in-one-line = 1",
        ] {
            assert_eq!(redact(text), (Cow::Borrowed(text), 0));
        }
    }

    proptest! {
        #[test]
        fn lines_stay_where_they_are(text in "\\PC{0,200}(\n\\PC{0,40}){0,5}") {
            let (shown, _) = redact(&text);
            prop_assert_eq!(shown.matches('\n').count(), text.matches('\n').count());
            prop_assert_eq!(redact(&shown).0, shown.clone());
        }
    }
}
