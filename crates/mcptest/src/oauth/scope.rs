//! Which scopes to ask for: as few as the server lets us know of.

/// Asks for a refresh token.
const OFFLINE: &str = "offline_access";

/// What is known of scopes when a token is asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'a> {
    /// Those that the caller wants, and no others.
    pub(super) wanted: Option<&'a str>,
    /// Those of the challenge.
    pub(super) challenged: &'a [String],
    /// Those of the resource.
    pub(super) resource: &'a [String],
    /// Those of the authorization server.
    pub(super) issuer: &'a [String],
    /// Those that were asked for before.
    pub(super) before: &'a [String],
}

/// The scopes to ask for: the caller's, or else the challenge's, or else all of the resource's, besides
/// those asked for before. A refresh token is asked for where the authorization server gives such.
pub(super) fn choose(known: Known<'_>) -> Vec<String> {
    let first: Vec<String> = match (known.wanted, known.challenged) {
        (Some(wanted), []) => wanted.split_ascii_whitespace().map(str::to_owned).collect(),
        (Some(wanted), asked) => wanted
            .split_ascii_whitespace()
            .map(str::to_owned)
            .chain(asked.iter().cloned())
            .collect(),
        (None, []) => known.resource.iter().filter(|scope| *scope != OFFLINE).cloned().collect(),
        (None, asked) => asked.to_vec(),
    };
    let mut chosen: Vec<String> = Vec::new();
    for scope in known.before.iter().cloned().chain(first) {
        if !chosen.contains(&scope) {
            chosen.push(scope);
        }
    }
    let offered = known.issuer.iter().any(|scope| scope == OFFLINE);
    let asked = chosen.iter().any(|scope| scope == OFFLINE);
    if known.wanted.is_none() && offered && !asked && !chosen.is_empty() {
        chosen.push(OFFLINE.to_owned());
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        wanted: Option<&str>,
        [challenged, resource, issuer, before]: [&str; 4],
        expected: &str,
    ) {
        let list = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let (challenged, resource) = (list(challenged), list(resource));
        let (issuer, before) = (list(issuer), list(before));
        let known = Known {
            wanted,
            challenged: &challenged,
            resource: &resource,
            issuer: &issuer,
            before: &before,
        };
        assert_eq!(choose(known).join(" "), expected);
    }

    #[test]
    fn the_challenge_comes_before_what_there_is() {
        check(None, ["a", "a b c", "", ""], "a");
        check(None, ["", "a b", "", ""], "a b");
        check(None, ["", "", "", ""], "");
    }

    #[test]
    fn more_is_asked_for_besides_what_was() {
        check(None, ["write", "", "", "basic"], "basic write");
        check(Some("mine"), ["write", "all", "", ""], "mine write");
    }

    #[test]
    fn a_refresh_token_is_asked_for_where_it_is_given() {
        check(None, ["", "a", "a offline_access", ""], "a offline_access");
        check(None, ["", "a offline_access", "a", ""], "a");
        check(None, ["", "", "offline_access", ""], "");
        check(Some("a"), ["", "", "offline_access", ""], "a");
    }
}
