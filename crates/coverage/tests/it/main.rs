//! The toolset as a client sees it, and its readers on real and on broken reports.

mod bad_input;
mod beyond;
mod contract;
mod formats;
mod properties;
mod support;
