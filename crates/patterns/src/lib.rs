//! Pattern files, their index, and rules that run on code.
