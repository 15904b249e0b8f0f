//! Proofs that an answer belongs to our question: a state, and a verifier whose hash went ahead (PKCE).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest;
use ring::rand::{SecureRandom, SystemRandom};

use super::Trouble;

/// What only we know until the token is asked for.
#[derive(Clone)]
pub(super) struct Proof {
    pub(super) state: String,
    pub(super) verifier: String,
}

impl std::fmt::Debug for Proof {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proof").finish_non_exhaustive()
    }
}

impl Proof {
    pub(super) fn new() -> Result<Self, Trouble> {
        Ok(Self { state: random()?, verifier: random()? })
    }

    /// What goes ahead of the verifier.
    pub(super) fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, self.verifier.as_bytes()))
    }
}

fn random() -> Result<String, Trouble> {
    let mut bytes = [0; 32];
    let none = |_| Trouble::Answer("this system gives no random numbers".to_owned());
    SystemRandom::new().fill(&mut bytes).map_err(none)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_that_of_the_standard_s_example() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned();
        let proof = Proof { state: String::new(), verifier };
        assert_eq!(proof.challenge(), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }

    #[test]
    fn no_two_are_alike() {
        let (one, other) = (Proof::new().unwrap(), Proof::new().unwrap());
        assert!(one.state != other.state && one.verifier != other.verifier);
        assert_eq!(one.verifier.len(), 43);
    }
}
