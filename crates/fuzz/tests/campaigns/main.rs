//! The tools on real campaigns.

mod steering;
mod support;
mod tools;
