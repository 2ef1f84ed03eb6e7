//! Tries whether the broker works on this machine, with a process that makes two calls and exits.

use std::{
    io::{self, Read},
    net::{Ipv4Addr, SocketAddr},
    os::unix::net::UnixStream,
    sync::Arc,
    time::{Duration, Instant},
};

use rustix::{
    fs::FileType,
    io::Errno,
    net::{AddressFamily, SocketType},
    process::Pid,
};
use tokio::task::JoinSet;

use super::{
    Next, caller::Caller, calls::Calls, filter::hand_over, guard::Guard, listener::Listener, next,
    reply,
};

const PATIENCE: Duration = Duration::from_secs(5);

/// In the process: whether the server answers its calls, and reads an address from its memory. The process can make no more
/// connections.
pub(crate) fn is_answered() -> bool {
    has_server() && hand_over(io::stdin()).is_ok() && is_rejected().unwrap_or_default()
}

/// Without a server that answers, calls would wait forever.
fn has_server() -> bool {
    let stat = rustix::fs::fstat(io::stdin());
    stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Socket)
}

/// The kernel would report that it cannot be reached.
fn is_rejected() -> rustix::io::Result<bool> {
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None)?;
    let forbidden = SocketAddr::from((Ipv4Addr::LOCALHOST, 9));
    Ok(rustix::net::connect(socket, &forbidden) == Err(Errno::ACCESS))
}

/// In the server: answers the calls of the process until it exits.
pub(crate) fn answer_calls(pid: Pid, mut announcements: &UnixStream) -> io::Result<()> {
    announcements.set_read_timeout(Some(PATIENCE))?;
    let mut number = [0; 4];
    announcements.read_exact(&mut number)?;
    let caller = Caller::open(pid)?;
    let listener = caller.descriptor(i32::from_ne_bytes(number))?;
    let listener = Arc::new(Listener::from(listener));
    let guard = Guard::Public {
        own: Vec::new(),
        allowed: Vec::new(),
    };
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        match next(&listener, PATIENCE)? {
            Next::Call(call) => {
                let calls = Calls {
                    caller: &caller,
                    listener: &listener,
                    guard: &guard,
                };
                reply(&listener, &call, calls.answer(&call), &mut JoinSet::new());
            }
            Next::Nothing => {}
            Next::Ended => return Ok(()),
        }
    }
    Err(io::Error::other("the process does not end"))
}
