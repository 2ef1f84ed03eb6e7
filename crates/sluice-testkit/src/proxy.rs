//! A TCP proxy that delays bytes, or holds them back as a broken network does. It has threads of its own, because timers of
//! the runtime are too coarse for delays below a millisecond.

mod hold;

use std::{
    io::{self, Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex};

pub use self::hold::Hold;
use self::hold::Trap;

const CHUNK: usize = 64 * 1024;

/// A proxy in front of a server. It runs until the program ends.
///
/// While it is cut, nothing arrives on either side, not even the end of a connection, and no connection is refused or reset.
/// The held bytes arrive when it is healed, as TCP would send them again.
#[derive(Debug)]
pub struct TcpProxy {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    network: Mutex<Network>,
    healed: Condvar,
    connections: Mutex<Vec<Arc<AtomicBool>>>,
    trap: Mutex<Option<Arc<Trap>>>,
}

#[derive(Debug)]
struct Network {
    server: String,
    /// Of each direction.
    delay: Duration,
    is_cut: bool,
}

#[derive(Debug, Clone, Copy)]
enum Direction {
    Request,
    Response,
}

/// A chunk, and when it arrives.
type Delayed = (Instant, Vec<u8>);

impl TcpProxy {
    /// Stands in front of `server`, a host with a port.
    pub fn before(server: &str) -> TcpProxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let shared = Arc::new(Shared {
            network: Mutex::new(Network {
                server: server.to_owned(),
                delay: Duration::ZERO,
                is_cut: false,
            }),
            healed: Condvar::new(),
            connections: Mutex::default(),
            trap: Mutex::default(),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let shared = Arc::clone(&accepting);
                // The client sees a closed connection, as it would without the proxy.
                thread::spawn(move || shared.connect(client));
            }
        });
        TcpProxy { address, shared }
    }

    /// Stands in front of the server of `url`, a `postgres://user@host:port/name`. Returns the URL through the proxy, too.
    pub fn before_database(url: &str) -> (TcpProxy, String) {
        let (user, rest) = url.split_once('@').expect("the URL has a user");
        let (server, name) = rest.split_once('/').expect("the URL has a database");
        let proxy = TcpProxy::before(server);
        let through = format!("{user}@{}/{name}", proxy.address);
        (proxy, through)
    }

    /// Where clients connect, as host and port.
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// Delays bytes in each direction from now on. Reading goes on meanwhile, so the delay does not limit the rate.
    pub fn delay(&self, delay: Duration) {
        self.shared.network.lock().delay = delay;
    }

    /// Holds back everything until [`TcpProxy::heal`].
    pub fn cut(&self) {
        self.shared.network.lock().is_cut = true;
    }

    pub fn heal(&self) {
        self.shared.network.lock().is_cut = false;
        self.shared.healed.notify_all();
    }

    /// Holds back the next message to the server with these bytes. Other connections go on.
    pub fn hold(&self, bytes: &'static [u8]) -> Hold {
        let trap = Arc::new(Trap::new(bytes));
        *self.shared.trap.lock() = Some(Arc::clone(&trap));
        Hold::of(trap)
    }

    /// Connects new clients to another server, a host with a port.
    pub fn lead_to(&self, server: &str) {
        server.clone_into(&mut self.shared.network.lock().server);
    }

    /// Drops all bytes of the connections so far, which stay open. New connections work.
    pub fn silence_connections(&self) {
        for is_silent in self.shared.connections.lock().drain(..) {
            is_silent.store(true, Ordering::SeqCst);
        }
    }
}

impl Shared {
    fn connect(self: Arc<Self>, client: TcpStream) -> io::Result<()> {
        let is_silent = Arc::new(AtomicBool::new(false));
        self.connections.lock().push(Arc::clone(&is_silent));
        self.wait_until_healed();
        let server = self.network.lock().server.clone();
        let server = TcpStream::connect(server)?;
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        self.forward(
            Direction::Request,
            client.try_clone()?,
            server.try_clone()?,
            &is_silent,
        );
        self.forward(Direction::Response, server, client, &is_silent);
        Ok(())
    }

    /// Forwards one direction until its sender closes it.
    fn forward(
        self: &Arc<Self>,
        direction: Direction,
        from: TcpStream,
        to: TcpStream,
        is_silent: &Arc<AtomicBool>,
    ) {
        let (chunks, delayed) = mpsc::channel();
        let (reading, writing) = (Arc::clone(self), Arc::clone(self));
        let is_silent = Arc::clone(is_silent);
        thread::spawn(move || reading.read(from, &chunks));
        thread::spawn(move || writing.write(direction, to, &delayed, &is_silent));
    }

    fn read(&self, mut from: TcpStream, chunks: &mpsc::Sender<Delayed>) {
        let mut buffer = vec![0; CHUNK];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            let due = Instant::now() + self.network.lock().delay;
            if chunks.send((due, buffer[..length].to_vec())).is_err() {
                return;
            }
        }
    }

    fn write(
        &self,
        direction: Direction,
        mut to: TcpStream,
        delayed: &mpsc::Receiver<Delayed>,
        is_silent: &AtomicBool,
    ) {
        for (due, chunk) in delayed {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            self.wait_until_healed();
            if !is_silent.load(Ordering::SeqCst) && self.pass(direction, &mut to, &chunk).is_err() {
                break;
            }
        }
        self.wait_until_healed();
        // Fails if the peer has closed it already.
        let _ = to.shutdown(Shutdown::Both);
    }

    fn pass(&self, direction: Direction, to: &mut TcpStream, chunk: &[u8]) -> io::Result<()> {
        let trap = match direction {
            Direction::Request => self.trap.lock().clone(),
            Direction::Response => None,
        };
        let Some((trap, place)) = trap.and_then(|trap| {
            let place = trap.catch(chunk)?;
            Some((trap, place))
        }) else {
            return to.write_all(chunk);
        };
        to.write_all(&chunk[..place])?;
        trap.wait_until_opened();
        to.write_all(&chunk[place..])
    }

    fn wait_until_healed(&self) {
        let mut network = self.network.lock();
        self.healed
            .wait_while(&mut network, |network| network.is_cut);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUND_TRIP: Duration = Duration::from_millis(20);

    /// Returns whatever connections send.
    fn echo() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut reading = stream.try_clone().expect("a second handle");
                thread::spawn(move || io::copy(&mut reading, &mut stream));
            }
        });
        address.to_string()
    }

    fn client(proxy: &TcpProxy) -> TcpStream {
        let stream = TcpStream::connect(proxy.address).expect("the proxy listens");
        let limit = Some(Duration::from_secs(10));
        stream.set_read_timeout(limit).expect("a valid time");
        stream
    }

    fn round_trip(stream: &mut TcpStream) {
        stream.write_all(b"ping").expect("an open connection");
        assert_eq!(reply(stream), *b"ping");
    }

    fn reply(stream: &mut TcpStream) -> [u8; 4] {
        let mut reply = [0; 4];
        stream.read_exact(&mut reply).expect("a reply");
        reply
    }

    /// Whether nothing arrives for a moment.
    fn hears_nothing(stream: &mut TcpStream) -> bool {
        let moment = Some(Duration::from_millis(100));
        stream.set_read_timeout(moment).expect("a valid time");
        let heard = stream.read(&mut [0; 1]);
        let limit = Some(Duration::from_secs(10));
        stream.set_read_timeout(limit).expect("a valid time");
        heard.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }

    #[test]
    fn a_round_trip_takes_as_long_as_it_should() {
        let proxy = TcpProxy::before(&echo());
        proxy.delay(ROUND_TRIP / 2);
        let mut stream = client(&proxy);
        let start = Instant::now();
        round_trip(&mut stream);
        assert!(start.elapsed() >= ROUND_TRIP);
    }

    #[test]
    fn a_closed_connection_is_closed_on_the_other_side() {
        let proxy = TcpProxy::before(&echo());
        let mut stream = client(&proxy);
        stream.shutdown(Shutdown::Write).expect("it is open");
        assert_eq!(stream.read(&mut [0; 1]).expect("no error"), 0);
    }

    #[test]
    fn bytes_and_new_connections_are_held_back_while_it_is_cut() {
        let proxy = TcpProxy::before(&echo());
        let mut old = client(&proxy);
        round_trip(&mut old);
        proxy.cut();
        let mut new = client(&proxy);
        for stream in [&mut old, &mut new] {
            stream.write_all(b"late").expect("an open connection");
            assert!(hears_nothing(stream));
        }
        proxy.heal();
        for stream in [&mut old, &mut new] {
            assert_eq!(reply(stream), *b"late");
        }
    }

    #[test]
    fn silent_connections_stay_open_and_new_ones_work() {
        let proxy = TcpProxy::before(&echo());
        let mut old = client(&proxy);
        round_trip(&mut old);
        proxy.silence_connections();
        old.write_all(b"lost").expect("an open connection");
        assert!(hears_nothing(&mut old));
        round_trip(&mut client(&proxy));
    }

    #[tokio::test]
    async fn a_message_is_held_and_other_connections_go_on() {
        let proxy = TcpProxy::before(&echo());
        let mut first = client(&proxy);
        let hold = proxy.hold(b"late");
        first.write_all(b"pinglate").expect("an open connection");
        hold.caught().await;
        assert_eq!(reply(&mut first), *b"ping");
        assert!(hears_nothing(&mut first));
        let mut other = client(&proxy);
        other.write_all(b"late").expect("an open connection");
        assert_eq!(reply(&mut other), *b"late");
        drop(hold);
        assert_eq!(reply(&mut first), *b"late");
    }

    #[test]
    fn new_connections_lead_to_the_new_server() {
        let (proxy, url) = TcpProxy::before_database("postgres://user@127.0.0.1:1/name");
        assert_eq!(url, format!("postgres://user@{}/name", proxy.address()));
        proxy.lead_to(&echo());
        round_trip(&mut client(&proxy));
    }
}
