//! Coverage reports in many formats, one model, answers about what is tested.
