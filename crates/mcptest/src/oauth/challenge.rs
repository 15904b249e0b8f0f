//! What a server asks for in `WWW-Authenticate`: one or more challenges, each a scheme and its parameters.
//!
//! Read leniently, since a header may come from anywhere: what can't be understood is passed over up to
//! the next comma, and nothing is guessed.

/// One challenge.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Challenge {
    /// The scheme, such as `Bearer`.
    pub scheme: String,
    /// What stands after the scheme instead of parameters.
    pub token68: Option<String>,
    /// The parameters, in order; names in lower case.
    pub parameters: Vec<(String, String)>,
}

impl Challenge {
    /// The value of a parameter, which is named in lower case.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The scopes that are asked for.
    pub fn scopes(&self) -> Vec<String> {
        let asked = self.get("scope").unwrap_or_default().split_ascii_whitespace();
        asked.map(str::to_owned).collect()
    }
}

/// The challenge for a bearer token, if there is one: rather one that says where to read on.
pub fn bearer(challenges: Vec<Challenge>) -> Option<Challenge> {
    let mut bearers: Vec<Challenge> = challenges
        .into_iter()
        .filter(|challenge| challenge.scheme.eq_ignore_ascii_case("bearer"))
        .collect();
    let telling = bearers.iter().position(|challenge| challenge.get("resource_metadata").is_some());
    (!bearers.is_empty()).then(|| bearers.swap_remove(telling.unwrap_or(0)))
}

/// Reads the value of the header.
pub fn read(header: &str) -> Vec<Challenge> {
    let mut rest = Rest(header);
    let mut challenges: Vec<Challenge> = Vec::new();
    loop {
        rest.pass(|c| c == ',' || is_space(c));
        if rest.0.is_empty() {
            return challenges;
        }
        let name = rest.take(is_token);
        if name.is_empty() {
            rest.pass_broken();
        } else if let Some(value) = rest.value() {
            if let Some(challenge) = challenges.last_mut() {
                challenge.parameters.push((name.to_ascii_lowercase(), value));
            }
        } else {
            let token68 = rest.token68();
            let (scheme, parameters) = (name.to_owned(), Vec::new());
            challenges.push(Challenge { scheme, token68, parameters });
        }
    }
}

/// What is not read yet.
#[derive(Clone, Copy)]
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    fn take(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let end = self.0.find(|c| !wanted(c)).unwrap_or(self.0.len());
        let (taken, left) = self.0.split_at(end);
        self.0 = left;
        taken
    }

    fn pass(&mut self, wanted: impl Fn(char) -> bool) {
        self.take(wanted);
    }

    fn pass_broken(&mut self) {
        self.pass(|c| c != ',');
    }

    /// An equals sign and a value, where a name stood before. Nothing is read if there is none.
    fn value(&mut self) -> Option<String> {
        let mut ahead = *self;
        ahead.pass(is_space);
        ahead.0 = ahead.0.strip_prefix('=')?;
        ahead.pass(is_space);
        let value = match ahead.0.strip_prefix('"') {
            Some(quoted) => {
                let (value, left) = unquoted(quoted);
                ahead.0 = left;
                value
            }
            None => ahead.take(is_token).to_owned(),
        };
        *self = ahead;
        Some(value)
    }

    /// What stands after a scheme and a space and is no parameter.
    fn token68(&mut self) -> Option<String> {
        let mut ahead = *self;
        ahead.pass(is_space);
        let mut parameter = ahead;
        let named = !parameter.take(is_token).is_empty();
        if named && parameter.value().is_some_and(|value| !value.is_empty()) {
            return None;
        }
        let token = ahead.take(|c| is_token68(c) || c == '=');
        let mut after = ahead;
        after.pass(is_space);
        if token.is_empty() || !(after.0.is_empty() || after.0.starts_with(',')) {
            return None;
        }
        *self = after;
        Some(token.to_owned())
    }
}

/// The text up to the closing quote, and what follows it. A quote that is never closed ends with the header.
fn unquoted(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (value, &text[at + 1..]),
            '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
            other => value.push(other),
        }
    }
    (value, "")
}

fn is_space(c: char) -> bool {
    c == ' ' || c == '\t'
}

fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

fn is_token68(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._~+/".contains(c)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    fn check(header: &str, expected: Expect) {
        let lines = read(header).into_iter().map(|challenge| {
            let token = challenge.token68.map(|token| format!(" {token}")).unwrap_or_default();
            let parameters = challenge.parameters.iter();
            let parameters = parameters.map(|(name, value)| format!(" {name}={value:?}"));
            format!("{}{token}{}", challenge.scheme, parameters.collect::<String>())
        });
        expected.assert_eq(&lines.collect::<Vec<_>>().join("\n"));
    }

    #[test]
    fn challenges_are_told_apart() {
        check("Bearer", expect!["Bearer"]);
        check(
            r#"Bearer error="insufficient_scope", scope="a b", Resource_Metadata="https://x/y?a,b""#,
            expect![[
                r#"Bearer error="insufficient_scope" scope="a b" resource_metadata="https://x/y?a,b""#
            ]],
        );
        check(
            r#"Basic realm="say \"hi\"", Negotiate YWJj==, Bearer scope=one"#,
            expect![[r#"
                Basic realm="say \"hi\""
                Negotiate YWJj==
                Bearer scope="one""#]],
        );
        check(
            r#"Digest realm = "x" ,, Bearer"#,
            expect![[r#"
                Digest realm="x"
                Bearer"#]],
        );
    }

    #[test]
    fn what_is_broken_is_passed_over() {
        check("", expect![""]);
        check(r#"="x", "y", é, Bearer realm="open"#, expect![[r#"Bearer realm="open""#]]);
        check(r#"realm="nobody's""#, expect![""]);
    }

    #[test]
    fn the_bearer_challenge_that_says_more_is_used() {
        let found = bearer(read(r#"Basic realm="a", Bearer, bearer resource_metadata="m""#));
        assert_eq!(found.unwrap().get("resource_metadata"), Some("m"));
        assert_eq!(bearer(read("Basic")), None);
    }

    fn challenge() -> impl Strategy<Value = Challenge> {
        let parameter = ("[a-z][a-z_-]{0,8}", any::<String>());
        let parameters = proptest::collection::vec(parameter, 1..4);
        ("[A-Za-z][A-Za-z0-9-]{0,8}", parameters).prop_map(|(scheme, parameters)| Challenge {
            scheme,
            token68: None,
            parameters,
        })
    }

    fn written(challenge: &Challenge) -> String {
        let parameters = challenge.parameters.iter().map(|(name, value)| {
            format!("{name}=\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
        });
        format!("{} {}", challenge.scheme, parameters.collect::<Vec<_>>().join(", "))
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(challenges in proptest::collection::vec(challenge(), 0..4)) {
            let header = challenges.iter().map(written).collect::<Vec<_>>().join(", ");
            prop_assert_eq!(read(&header), challenges);
        }

        #[test]
        fn any_text_is_read_to_its_end(header in any::<String>(), near in r#"[A-Za-z=",\\ ]{0,60}"#) {
            read(&header);
            for found in read(&near) {
                prop_assert!(!found.scheme.is_empty() && near.contains(&found.scheme));
            }
        }
    }
}
