//! The open connections, bounded in total and for each address.
//!
//! When there is no room for a new one, the connection that has been idle longest makes room. Open file descriptors are limited,
//! and without this, idle connections would keep everyone else out.

use std::{
    collections::HashMap,
    net::IpAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

/// The value of `idle_since` while a request is in progress.
const BUSY: u64 = 0;

pub(crate) struct Connections {
    max: usize,
    max_per_address: usize,
    /// Counts the starts of idle times, so that the longest is the one with the lowest number.
    idle_times: AtomicU64,
    registry: Mutex<Registry>,
}

#[derive(Default)]
struct Registry {
    open: HashMap<u64, Open>,
    by_address: HashMap<IpAddr, usize>,
}

struct Open {
    address: IpAddr,
    idle_since: Arc<AtomicU64>,
    close: CancellationToken,
}

impl Connections {
    pub(crate) fn new(max: usize) -> Arc<Connections> {
        Arc::new(Connections {
            max: max.max(1),
            // A proxy in front of the server has one address.
            max_per_address: (max - max / 4).max(1),
            idle_times: AtomicU64::new(BUSY + 1),
            registry: Mutex::default(),
        })
    }

    /// Registers a new connection; `None` if there is no room and none is idle.
    pub(crate) fn open(
        self: &Arc<Self>,
        address: IpAddr,
        shutdown: &CancellationToken,
    ) -> Option<Connection> {
        let mut registry = self.registry.lock();
        let of_address = registry.by_address.get(&address).copied();
        if of_address.unwrap_or_default() >= self.max_per_address {
            registry.close_one(|one| one.address == address)?;
        } else if registry.open.len() >= self.max {
            registry.close_one(|_| true)?;
        }
        let number = self.idle_times.fetch_add(1, Ordering::Relaxed);
        let idle_since = Arc::new(AtomicU64::new(number));
        // One token for both reasons: each wake-up of a connection looks at it, and all connections would look at one of the server
        // behind the same lock.
        let close = shutdown.child_token();
        let entry = Open {
            address,
            idle_since: Arc::clone(&idle_since),
            close: close.clone(),
        };
        registry.insert(number, entry);
        Some(Connection {
            number,
            idle_since,
            close,
            all: Arc::clone(self),
        })
    }
}

impl Registry {
    fn insert(&mut self, number: u64, one: Open) {
        *self.by_address.entry(one.address).or_default() += 1;
        self.open.insert(number, one);
    }

    fn remove(&mut self, number: u64) -> Option<Open> {
        let removed = self.open.remove(&number)?;
        if let Some(count) = self.by_address.get_mut(&removed.address) {
            *count -= 1;
            if *count == 0 {
                self.by_address.remove(&removed.address);
            }
        }
        Some(removed)
    }

    /// Closes the connection that has been idle longest. Returns `None` if none is idle.
    fn close_one(&mut self, is_eligible: impl Fn(&Open) -> bool) -> Option<()> {
        let eligible = self.open.iter().filter(|(_, one)| is_eligible(one));
        let idle = eligible.filter_map(|(number, one)| {
            let since = one.idle_since.load(Ordering::Relaxed);
            (since != BUSY).then_some((since, *number))
        });
        let (_, number) = idle.min()?;
        self.remove(number)?.close.cancel();
        Some(())
    }
}

/// An open connection. It is unregistered when this is dropped.
pub(crate) struct Connection {
    number: u64,
    idle_since: Arc<AtomicU64>,
    close: CancellationToken,
    all: Arc<Connections>,
}

impl Connection {
    /// Waits until the connection has to make room, or the server shuts down.
    pub(crate) async fn closed(&self) {
        self.close.cancelled().await;
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.idle_since.load(Ordering::Relaxed) == BUSY
    }

    /// A request has begun. The connection is busy until its response has been sent.
    pub(crate) fn begin_request(&self) -> Busy {
        self.idle_since.store(BUSY, Ordering::Relaxed);
        Busy {
            idle_since: Arc::clone(&self.idle_since),
            all: Arc::clone(&self.all),
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.all.registry.lock().remove(self.number);
    }
}

/// A request in progress.
pub(crate) struct Busy {
    idle_since: Arc<AtomicU64>,
    all: Arc<Connections>,
}

impl Busy {
    /// The body of the response, which keeps the connection busy until it has been sent.
    pub(crate) fn until_sent(self, body: Body) -> Body {
        Body::new(BusyBody { body, _busy: self })
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let since = self.all.idle_times.fetch_add(1, Ordering::Relaxed);
        self.idle_since.store(since, Ordering::Relaxed);
    }
}

struct BusyBody {
    body: Body,
    _busy: Busy,
}

impl hyper::body::Body for BusyBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn address(last: u8) -> IpAddr {
        Ipv4Addr::new(10, 0, 0, last).into()
    }

    fn open(connections: &Arc<Connections>, last: u8) -> Option<Connection> {
        connections.open(address(last), &CancellationToken::new())
    }

    fn is_closed(connection: &Connection) -> bool {
        connection.close.is_cancelled()
    }

    #[test]
    fn the_one_that_is_idle_longest_makes_room() {
        let connections = Connections::new(4);
        let [first, second, third, fourth] =
            [1, 2, 3, 4].map(|last| open(&connections, last).unwrap());
        let busy = first.begin_request();
        let _fifth = open(&connections, 5).unwrap();
        assert!(is_closed(&second));
        drop(busy);
        let _sixth = open(&connections, 6).unwrap();
        let _seventh = open(&connections, 7).unwrap();
        assert!(is_closed(&third) && is_closed(&fourth) && !is_closed(&first));
    }

    #[test]
    fn an_address_makes_room_for_itself_first() {
        let connections = Connections::new(8);
        let other = open(&connections, 1).unwrap();
        let many: Vec<_> = (0..6).map(|_| open(&connections, 2).unwrap()).collect();
        let _one_more = open(&connections, 2).unwrap();
        assert!(is_closed(&many[0]));
        assert!(!is_closed(&other));
    }

    #[test]
    fn without_an_idle_one_there_is_no_room_until_one_is_dropped() {
        let connections = Connections::new(2);
        let (first, second) = (
            open(&connections, 1).unwrap(),
            open(&connections, 2).unwrap(),
        );
        let _busy = (first.begin_request(), second.begin_request());
        assert!(open(&connections, 3).is_none());
        drop(second);
        assert!(open(&connections, 3).is_some());
    }
}
