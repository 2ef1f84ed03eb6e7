//! Reads the arguments of system calls from the memory of the process that made them.
//!
//! The process can change its memory at any time. So every value is read once, and only the copy is checked and used.

use std::{
    fs::File,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6},
    os::unix::fs::FileExt,
};

use rustix::io::Errno;

/// A stream socket may send less than it was given, and no datagram is larger.
const MAX_PAYLOAD: usize = 64 * 1024;
/// As in the kernel.
const MAX_PARTS: u64 = 1024;

/// An address argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Destination {
    Address(SocketAddr),
    /// Dissolves the association of a socket.
    Unspecified,
}

/// A message to send, as `sendmsg` gets it.
pub(super) struct Message {
    pub(super) destination: Option<Destination>,
    pub(super) payload: Vec<u8>,
}

pub(super) struct Memory(File);

impl Memory {
    pub(super) fn of(process: u32) -> std::io::Result<Memory> {
        let path = format!("/proc/{process}/mem");
        Ok(Memory(File::options().read(true).write(true).open(path)?))
    }

    pub(super) fn destination(&self, at: u64, length: u64) -> Result<Destination, Errno> {
        // The C type of a length has 32 bits, and the kernel ignores the rest of the register.
        let length = length & u64::from(u32::MAX);
        let bytes = self.read(at, length.min(28))?;
        parse_destination(&bytes)
    }

    /// At most the largest datagram.
    pub(super) fn payload(&self, at: u64, length: u64) -> Result<Vec<u8>, Errno> {
        self.read(at, length.min(MAX_PAYLOAD as u64))
    }

    /// Of a `struct msghdr`.
    pub(super) fn message(&self, at: u64) -> Result<Message, Errno> {
        let header = self.read(at, 56)?;
        let (name, name_length) = (word(&header, 0)?, word(&header, 8)?);
        let (parts, count) = (word(&header, 16)?, word(&header, 24)?);
        let control_length = word(&header, 40)?;
        if control_length != 0 {
            // They could set the route of a packet.
            return Err(Errno::INVAL);
        }
        if count > MAX_PARTS {
            return Err(Errno::MSGSIZE);
        }
        let destination = match name {
            0 => None,
            name => Some(self.destination(name, name_length)?),
        };
        let payload = self.gather(parts, count)?;
        Ok(Message {
            destination,
            payload,
        })
    }

    /// Stores the length of a sent message in a `struct mmsghdr`.
    pub(super) fn set_sent(&self, at: u64, length: u32) -> Result<(), Errno> {
        let place = at.checked_add(56).ok_or(Errno::FAULT)?;
        let written = self.0.write_all_at(&length.to_ne_bytes(), place);
        written.map_err(|_| Errno::FAULT)
    }

    fn gather(&self, parts: u64, count: u64) -> Result<Vec<u8>, Errno> {
        let list = self.read(parts, count * 16)?;
        let mut payload = Vec::new();
        for part in list.chunks_exact(16) {
            let room = (MAX_PAYLOAD - payload.len()) as u64;
            let (at, length) = (word(part, 0)?, word(part, 8)?);
            payload.extend(self.read(at, length.min(room))?);
        }
        Ok(payload)
    }

    fn read(&self, at: u64, length: u64) -> Result<Vec<u8>, Errno> {
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| Errno::INVAL)?];
        let read = self.0.read_exact_at(&mut bytes, at);
        read.map_err(|_| Errno::FAULT)?;
        Ok(bytes)
    }
}

fn word(bytes: &[u8], at: usize) -> Result<u64, Errno> {
    field(bytes, at).map(u64::from_ne_bytes)
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], Errno> {
    let end = at + N;
    let part = bytes.get(at..end).ok_or(Errno::INVAL)?;
    part.try_into().map_err(|_| Errno::INVAL)
}

/// Of a `struct sockaddr`.
fn parse_destination(bytes: &[u8]) -> Result<Destination, Errno> {
    let family = u16::from_ne_bytes(field(bytes, 0)?);
    let port = || field(bytes, 2).map(u16::from_be_bytes);
    match i32::from(family) {
        libc::AF_INET if bytes.len() >= 16 => {
            let ip = Ipv4Addr::from(field::<4>(bytes, 4)?);
            let address = SocketAddrV4::new(ip, port()?);
            Ok(Destination::Address(address.into()))
        }
        libc::AF_INET6 if bytes.len() >= 24 => {
            let flow = u32::from_ne_bytes(field(bytes, 4)?);
            let ip = Ipv6Addr::from(field::<16>(bytes, 8)?);
            let scope = field(bytes, 24).map_or(0, u32::from_ne_bytes);
            let address = SocketAddrV6::new(ip, port()?, flow, scope);
            Ok(Destination::Address(address.into()))
        }
        libc::AF_UNSPEC => Ok(Destination::Unspecified),
        libc::AF_INET | libc::AF_INET6 => Err(Errno::INVAL),
        _ => Err(Errno::AFNOSUPPORT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> Memory {
        Memory::of(std::process::id()).expect("its own memory")
    }

    fn at<T>(value: &T) -> u64 {
        std::ptr::from_ref(value).addr() as u64
    }

    #[test]
    fn an_address_is_read_from_memory() {
        let mut bytes = [0_u8; 16];
        bytes[..2].copy_from_slice(&2_u16.to_ne_bytes());
        bytes[2..8].copy_from_slice(&[0x1f, 0x90, 10, 1, 2, 3]);
        let wanted = Destination::Address("10.1.2.3:8080".parse().expect("an address"));
        assert_eq!(own().destination(at(&bytes), 16), Ok(wanted));
        assert_eq!(own().destination(at(&bytes), 8), Err(Errno::INVAL));
        assert_eq!(own().destination(0, 16), Err(Errno::FAULT));
    }

    #[test]
    fn an_ipv6_address_may_omit_its_scope() {
        let mut bytes = [0_u8; 28];
        bytes[..2].copy_from_slice(&10_u16.to_ne_bytes());
        bytes[3] = 53;
        bytes[23] = 1;
        bytes[24] = 7;
        let of = |length| match parse_destination(&bytes[..length]) {
            Ok(Destination::Address(SocketAddr::V6(address))) => {
                (address.port(), address.scope_id())
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(of(24), (53, 0));
        assert_eq!(of(28), (53, 7));
    }

    #[test]
    fn other_families_are_rejected() {
        assert_eq!(parse_destination(&[1, 0, 0, 0]), Err(Errno::AFNOSUPPORT));
        assert_eq!(parse_destination(&[0; 2]), Ok(Destination::Unspecified));
        assert_eq!(parse_destination(&[]), Err(Errno::INVAL));
    }

    #[test]
    fn the_parts_of_a_message_are_joined_up_to_the_largest_datagram() {
        let (first, second) = (b"ab".to_vec(), vec![7_u8; 2 * MAX_PAYLOAD]);
        let parts = [
            first.as_ptr().addr() as u64,
            first.len() as u64,
            second.as_ptr().addr() as u64,
            second.len() as u64,
        ];
        let mut header = [0_u64; 7];
        (header[2], header[3]) = (at(&parts), 2);
        let message = own().message(at(&header)).expect("a message");
        assert_eq!(message.destination, None);
        assert_eq!(message.payload.len(), MAX_PAYLOAD);
        assert_eq!(message.payload[..3], *b"ab\x07");

        header[3] = MAX_PARTS + 1;
        assert!(own().message(at(&header)).is_err());
        (header[3], header[5]) = (2, 16);
        assert!(own().message(at(&header)).is_err(), "control messages");
    }
}
