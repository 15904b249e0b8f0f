//! Memory that building took, given back to the system.

/// Gives back what was freed. The C library keeps it otherwise, in pieces that nothing else fits into: several times
/// what the index itself takes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn give_back_memory() {
    #[expect(unsafe_code, reason = "the C library has no safe way to say it")]
    // SAFETY: it takes a number, and touches only memory that was freed.
    let _ = unsafe { libc::malloc_trim(0) };
}

/// Other systems' allocators do it by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back_memory() {}
