//! In-process sessions and fixtures for the tests.
