//! What a tool is: input, output, effect, limits, failures and how each contract renders them.
