//! The launcher's side of the broker: the filter that sends calls to it.

use std::{
    io,
    os::fd::{AsFd, AsRawFd},
};

use libc::{c_long, sock_filter};
use rustix::net::{AddressFamily, SocketType};

use super::listener::Listener;

/// Offsets in the structure that a filter reads: the number of the call, and its fifth argument in two halves.
const NUMBER: u32 = 0;
const FIFTH_ARGUMENT: [u32; 2] = [48, 52];

const LOAD_WORD: u16 = 0x20;
const JUMP_IF_EQUAL: u16 = 0x15;
const RETURN: u16 = 0x06;

/// Installs the filter in this process and hands its listener to the server, which waits at the other end of `announcements`.
/// Returns when the server has it.
pub(crate) fn hand_over(announcements: impl AsFd) -> io::Result<()> {
    let listener = Listener::install(&filter())?;
    let number = listener.as_raw_fd().to_ne_bytes();
    if rustix::io::write(announcements, &number)? != number.len() {
        return Err(io::Error::other("the server does not take the listener"));
    }
    // Its answer comes from the server.
    rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None)?;
    Ok(())
}

/// Sending without an address is left to the kernel, because it needs a connected socket.
fn filter() -> Vec<sock_filter> {
    let always: [c_long; 5] = [
        libc::SYS_socket,
        libc::SYS_connect,
        libc::SYS_bind,
        libc::SYS_sendmsg,
        libc::SYS_sendmmsg,
    ];
    let mut filter = vec![load(NUMBER)];
    // Jumps count the instructions they skip. The two last ones are `allow` and `notify`.
    let mut left = u8::try_from(always.len()).unwrap_or_default() + 1 + 4;
    for call in always {
        filter.push(jump_if(call, left, 0));
        left -= 1;
    }
    filter.extend([
        jump_if(libc::SYS_sendto, 0, 4),
        load(FIFTH_ARGUMENT[0]),
        jump_if(0, 0, 3),
        load(FIFTH_ARGUMENT[1]),
        jump_if(0, 0, 1),
        give(libc::SECCOMP_RET_ALLOW),
        give(libc::SECCOMP_RET_USER_NOTIF),
    ]);
    filter
}

fn load(offset: u32) -> sock_filter {
    step(LOAD_WORD, 0, 0, offset)
}

fn jump_if(equal: c_long, yes: u8, no: u8) -> sock_filter {
    step(
        JUMP_IF_EQUAL,
        yes,
        no,
        u32::try_from(equal).unwrap_or(u32::MAX),
    )
}

fn give(action: u32) -> sock_filter {
    step(RETURN, 0, 0, action)
}

fn step(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}
