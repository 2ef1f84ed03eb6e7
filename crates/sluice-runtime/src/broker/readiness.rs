//! Waits for a descriptor that Tokio does not know.
#![allow(unsafe_code)]

use std::{io, os::fd::BorrowedFd};

use tokio::io::{Interest, unix::AsyncFd};

pub(super) fn watch(
    descriptor: BorrowedFd<'_>,
    interest: Interest,
) -> io::Result<AsyncFd<BorrowedFd<'_>>> {
    // SAFETY: A borrowed descriptor is open for as long as it is borrowed, and the result cannot outlive it.
    let watched = unsafe { AsyncFd::register_with_interest(descriptor, interest) };
    watched.map_err(Into::into)
}
