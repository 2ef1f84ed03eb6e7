//! The calls that the broker makes for a component: each checks its address and works on a socket outside of the sandbox.

use std::{
    future::Future,
    io,
    net::SocketAddr,
    os::fd::{AsFd, OwnedFd},
    pin::Pin,
};

use rustix::{
    fs::OFlags,
    io::Errno,
    net::{AddressFamily, Protocol, SendFlags, SocketFlags, SocketType, sockopt},
};
use tokio::io::Interest;

use super::{
    caller::{Caller, int},
    guard::Guard,
    listener::{Call, Listener},
    memory::{Destination, Memory, Message},
    readiness,
};

/// As in the kernel.
const MAX_MESSAGES: u64 = 1024;
const MESSAGE_HEADER: u64 = 64;
/// No service has a fixed port from here on.
const FIRST_DYNAMIC_PORT: u16 = 49_152;
/// Sends data together with the connection, past the check of the address.
const FAST_OPEN: u32 = 0x2000_0000;

pub(super) type Outcome = Result<i64, Errno>;

pub(super) enum Answer {
    Value(Outcome),
    Socket {
        socket: OwnedFd,
        close_on_exec: bool,
    },
    /// The call blocks, so the answer comes later.
    Later(Pin<Box<dyn Future<Output = Outcome> + Send>>),
}

impl From<Result<Answer, Errno>> for Answer {
    fn from(result: Result<Answer, Errno>) -> Answer {
        result.unwrap_or_else(|errno| Answer::Value(Err(errno)))
    }
}

/// What is needed to answer the calls of one process.
pub(super) struct Calls<'a> {
    pub(super) caller: &'a Caller,
    pub(super) listener: &'a Listener,
    pub(super) guard: &'a Guard,
}

impl Calls<'_> {
    pub(super) fn answer(&self, call: &Call) -> Answer {
        let [first, second, third, fourth, fifth, sixth] = call.arguments;
        Answer::from(match call.number {
            libc::SYS_socket => open(int(first), int(second), int(third)),
            libc::SYS_connect => self.connect(call, first, (second, third)),
            libc::SYS_bind => self.bind(call, first, (second, third)),
            libc::SYS_sendto => self.send_to(call, first, (second, third), fourth, (fifth, sixth)),
            libc::SYS_sendmsg => self.send_message(call, first, second, third),
            libc::SYS_sendmmsg => self.send_messages(call, first, (second, third), fourth),
            _ => Err(Errno::NOSYS),
        })
    }

    fn connect(&self, call: &Call, socket: u64, address: (u64, u64)) -> Result<Answer, Errno> {
        let socket = self.caller.socket(socket)?;
        match self.memory(call)?.destination(address.0, address.1)? {
            Destination::Unspecified => {
                rustix::net::connect_unspec(&socket)?;
                Ok(Answer::Value(Ok(0)))
            }
            destination @ Destination::Address(address) => {
                self.check(destination)?;
                connect(socket, address)
            }
        }
    }

    /// Components do not listen. But clients bind a socket to any address first, on a port of their own or the kernel's choice.
    fn bind(&self, call: &Call, socket: u64, address: (u64, u64)) -> Result<Answer, Errno> {
        let socket = self.caller.socket(socket)?;
        match self.memory(call)?.destination(address.0, address.1)? {
            Destination::Address(address) if is_client(address) => {
                rustix::net::bind(&socket, &address)?;
                Ok(Answer::Value(Ok(0)))
            }
            rejected => {
                tracing::debug!(?rejected, "address of component's socket rejected");
                Err(Errno::ACCESS)
            }
        }
    }

    fn send_to(
        &self,
        call: &Call,
        socket: u64,
        payload: (u64, u64),
        flags: u64,
        address: (u64, u64),
    ) -> Result<Answer, Errno> {
        let memory = self.memory(call)?;
        let destination = match address.0 {
            0 => None,
            place => Some(memory.destination(place, address.1)?),
        };
        let payload = memory.payload(payload.0, payload.1)?;
        let message = Message {
            destination,
            payload,
        };
        self.send(socket, message, flags)
    }

    fn send_message(&self, call: &Call, socket: u64, at: u64, flags: u64) -> Result<Answer, Errno> {
        let message = self.memory(call)?.message(at)?;
        self.send(socket, message, flags)
    }

    /// Stops at the first message that would block or that fails, as the kernel does.
    fn send_messages(
        &self,
        call: &Call,
        socket: u64,
        messages: (u64, u64),
        flags: u64,
    ) -> Result<Answer, Errno> {
        let memory = self.memory(call)?;
        let count = (messages.1 & u64::from(u32::MAX)).min(MAX_MESSAGES);
        let socket = self.caller.socket(socket)?;
        let flags = send_flags(flags)?;
        let mut sent = 0;
        while sent < count {
            let at = messages.0.wrapping_add(sent * MESSAGE_HEADER);
            let one = memory.message(at).and_then(|message| {
                self.check_message(&message)?;
                let length = send(&socket, &message, flags)?;
                memory.set_sent(at, u32::try_from(length).unwrap_or(u32::MAX))
            });
            match one {
                Ok(()) => sent += 1,
                Err(errno) if sent == 0 => return Err(errno),
                Err(_) => break,
            }
        }
        Ok(Answer::Value(Ok(sent.cast_signed())))
    }

    fn send(&self, socket: u64, message: Message, flags: u64) -> Result<Answer, Errno> {
        let socket = self.caller.socket(socket)?;
        let flags = send_flags(flags)?;
        self.check_message(&message)?;
        match send(&socket, &message, flags) {
            Err(Errno::AGAIN) if !flags.contains(SendFlags::DONTWAIT) && is_blocking(&socket)? => {
                Ok(Answer::Later(Box::pin(async move {
                    loop {
                        until_writable(&socket).await?;
                        match send(&socket, &message, flags) {
                            Err(Errno::AGAIN) => {}
                            done => return done,
                        }
                    }
                })))
            }
            done => Ok(Answer::Value(done)),
        }
    }

    fn memory(&self, call: &Call) -> Result<&Memory, Errno> {
        self.caller.memory(self.listener, call.id)
    }

    fn check_message(&self, message: &Message) -> Result<(), Errno> {
        message
            .destination
            .map_or(Ok(()), |destination| self.check(destination))
    }

    fn check(&self, destination: Destination) -> Result<(), Errno> {
        match destination {
            Destination::Address(address) if self.guard.allows(address) => Ok(()),
            Destination::Address(address) => {
                tracing::debug!(%address, "connection of component rejected");
                Err(Errno::ACCESS)
            }
            Destination::Unspecified => Err(Errno::AFNOSUPPORT),
        }
    }
}

/// Resolvers of names choose a random port, so that answers are harder to forge.
fn is_client(address: SocketAddr) -> bool {
    let port = address.port();
    address.ip().is_unspecified() && (port == 0 || port >= FIRST_DYNAMIC_PORT)
}

/// A socket for TCP or UDP, outside of the sandbox.
fn open(domain: i32, kind: i32, protocol: i32) -> Result<Answer, Errno> {
    let family = match domain {
        libc::AF_INET => AddressFamily::INET,
        libc::AF_INET6 => AddressFamily::INET6,
        _ => return Err(Errno::AFNOSUPPORT),
    };
    let (kind, flags) = (kind & 0xf, kind & !0xf);
    let kind = match (kind, protocol) {
        (libc::SOCK_STREAM, 0 | libc::IPPROTO_TCP) => SocketType::STREAM,
        (libc::SOCK_DGRAM, 0 | libc::IPPROTO_UDP) => SocketType::DGRAM,
        _ => return Err(Errno::PROTONOSUPPORT),
    };
    let wanted = SocketFlags::from_bits_truncate(flags.unsigned_abs());
    let flags = (wanted & SocketFlags::NONBLOCK) | SocketFlags::CLOEXEC;
    let protocol: Option<Protocol> = None;
    Ok(Answer::Socket {
        socket: rustix::net::socket_with(family, kind, flags, protocol)?,
        close_on_exec: wanted.contains(SocketFlags::CLOEXEC),
    })
}

/// A socket that blocks is connected in the background.
fn connect(socket: OwnedFd, address: SocketAddr) -> Result<Answer, Errno> {
    if !is_blocking(&socket)? {
        rustix::net::connect(&socket, &address)?;
        return Ok(Answer::Value(Ok(0)));
    }
    let flags = rustix::fs::fcntl_getfl(&socket)?;
    rustix::fs::fcntl_setfl(&socket, flags | OFlags::NONBLOCK)?;
    let begun = rustix::net::connect(&socket, &address);
    rustix::fs::fcntl_setfl(&socket, flags)?;
    match begun {
        Err(Errno::INPROGRESS) => Ok(Answer::Later(Box::pin(async move {
            until_writable(&socket).await?;
            sockopt::socket_error(&socket)?.map(|()| 0)
        }))),
        done => Ok(Answer::Value(done.map(|()| 0))),
    }
}

fn send(socket: &OwnedFd, message: &Message, flags: SendFlags) -> Outcome {
    let flags = flags | SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
    let sent = match message.destination {
        Some(Destination::Address(address)) => {
            rustix::net::sendto(socket, &message.payload, flags, &address)?
        }
        _ => rustix::net::send(socket, &message.payload, flags)?,
    };
    i64::try_from(sent).map_err(|_| Errno::MSGSIZE)
}

fn send_flags(argument: u64) -> Result<SendFlags, Errno> {
    let bits = int(argument).cast_unsigned();
    if bits & FAST_OPEN != 0 {
        return Err(Errno::OPNOTSUPP);
    }
    let harmless = SendFlags::DONTWAIT | SendFlags::NOSIGNAL | SendFlags::MORE | SendFlags::OOB;
    Ok(SendFlags::from_bits_truncate(bits) & harmless)
}

fn is_blocking(socket: &OwnedFd) -> Result<bool, Errno> {
    Ok(!rustix::fs::fcntl_getfl(socket)?.contains(OFlags::NONBLOCK))
}

async fn until_writable(socket: &OwnedFd) -> Result<(), Errno> {
    let wait = async {
        let watched = readiness::watch(socket.as_fd(), Interest::WRITABLE)?;
        watched.writable().await?.clear_ready();
        io::Result::Ok(())
    };
    wait.await.map_err(|_| Errno::IO)
}
