//! Why a target could not be made ready.

use crate::artifact::LinkError;
use revm::primitives::Address;
use std::path::PathBuf;
use thiserror::Error;

/// A target could not be made ready.
#[derive(Debug, Error)]
pub enum TargetError {
    /// No contract of this name.
    #[error("no contract `{name}` here; there are: {known}")]
    NoSuchContract {
        /// The name that was asked for.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// Several contracts have this name.
    #[error("`{name}` is ambiguous: say one of {choices}")]
    Ambiguous {
        /// The name that was asked for.
        name: String,
        /// The qualified names.
        choices: String,
    },
    /// There is nothing to deploy.
    #[error(
        "no contract with code here; found only interfaces, libraries or abstract contracts: {0}"
    )]
    NothingToDeploy(String),
    /// The chosen contract has no code.
    #[error(
        "`{0}` has no bytecode: it is abstract or an interface; fuzz a contract that implements it"
    )]
    Abstract(String),
    /// Linking failed.
    #[error("`{contract}` cannot be deployed: {source}")]
    Link {
        /// The contract.
        contract: String,
        /// What is missing.
        source: LinkError,
    },
    /// Ether for a constructor that takes none.
    #[error(
        "the constructor of `{0}` is not payable, so it can't be given `balanceContract`; make it payable, or leave the setting out"
    )]
    ConstructorTakesNoEther(String),
    /// The constructor did not return.
    #[error("the constructor of `{contract}` failed: {reason}")]
    Constructor {
        /// The contract.
        contract: String,
        /// Why.
        reason: String,
    },
    /// The code is too large.
    #[error(
        "`{contract}` is too large: its code has {size} bytes, the limit is {limit} (raise `codeSize`)"
    )]
    TooLarge {
        /// The contract.
        contract: String,
        /// Size of its runtime code.
        size: usize,
        /// The limit in force.
        limit: usize,
    },
    /// `setUp()` did not return.
    #[error("`setUp()` of `{contract}` failed: {reason}")]
    SetUp {
        /// The contract.
        contract: String,
        /// Why.
        reason: String,
    },
    /// Constructor arguments are missing or wrong.
    #[error("the constructor of `{contract}` takes ({expected}): {problem}")]
    ConstructorArguments {
        /// The contract.
        contract: String,
        /// The parameter types.
        expected: String,
        /// What is wrong.
        problem: String,
    },
    /// A property takes arguments.
    #[error("the property `{0}` takes arguments; a property must take none")]
    PropertyWithArguments(String),
    /// A property has no answer.
    #[error(
        "the property `{0}` does not return a bool, so nothing can be said about it; let it return one, or give it a name without the prefix"
    )]
    NotABoolean(String),
    /// A value to make large is no number.
    #[error(
        "`{0}` does not return an int256, so there is nothing to make large; let it return one, or give it a name without the prefix"
    )]
    NotANumber(String),
    /// Nothing to check.
    #[error(
        "`{contract}` has no test: no function starts with `{prefix}`, `invariant_` or `test`; if it uses assert(), set the test mode to assertion"
    )]
    NoTests {
        /// The contract.
        contract: String,
        /// The prefix in force.
        prefix: String,
    },
    /// A record of transactions can't be repeated.
    #[error("`initialize`: {}: {problem}", .path.display())]
    History {
        /// The record.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// Configured code cannot be deployed.
    #[error("cannot deploy the configured code at {address}: {problem}")]
    ExtraCode {
        /// Where it should go.
        address: Address,
        /// What is wrong.
        problem: String,
    },
}
