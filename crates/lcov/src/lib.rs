//! Parse, write and merge LCOV tracefiles.
