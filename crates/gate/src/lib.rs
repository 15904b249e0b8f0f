//! One call's life, the same for all tools and transports, and the registry of tools.
