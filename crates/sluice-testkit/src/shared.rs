//! Servers that many tests share. Each test creates its own user.
//!
//! The runner starts one process for each test. So the servers belong to a process around the runner, the broker: a test
//! asks it for a server by name, and the first that asks says how to start it. Without a broker, as under `cargo test`, the
//! servers belong to the test process.

use std::{
    collections::HashMap,
    env,
    ffi::OsString,
    fs,
    io::{self, BufRead, BufReader, Write},
    os::unix::net::{UnixListener, UnixStream},
    path::{Path, PathBuf},
    sync::OnceLock,
    thread,
};

use parking_lot::Mutex;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use tempfile::TempDir;

use crate::{
    Registry, Server, ServerInfo, ServerOptions, options::SharedOptions, registry, scratch,
};

const BROKER: &str = "SLUICE_TEST_BROKER";

/// The server called `name`, started on first use.
///
/// Blocks until the server has started, so that tests on different runtimes can wait for the same one.
pub fn shared(name: &str, options: impl FnOnce() -> ServerOptions) -> &'static ServerInfo {
    static SERVERS: OnceLock<Mutex<HashMap<String, &'static ServerInfo>>> = OnceLock::new();
    let mut servers = SERVERS.get_or_init(Mutex::default).lock();
    if let Some(server) = servers.get(name) {
        return server;
    }
    let server = match env::var_os(BROKER) {
        Some(socket) => Box::leak(Box::new(from_broker(Path::new(&socket), name, options))),
        None => started_here(options()),
    };
    servers.insert(name.to_owned(), server);
    server
}

/// A new folder that lasts as long as the shared servers. Only the options of the server called `name` may use it.
pub fn shared_folder(name: &str) -> PathBuf {
    let Some(socket) = env::var_os(BROKER) else {
        return scratch::folder().keep();
    };
    let folder = Path::new(&socket).with_file_name(name);
    fs::create_dir(&folder).expect("the folder of the broker can be written");
    folder
}

/// The server ends with this process.
fn started_here(options: ServerOptions) -> &'static ServerInfo {
    let server: &'static Server = Box::leak(Box::new(Server::start_blocking(options)));
    server
}

fn from_broker(socket: &Path, name: &str, options: impl FnOnce() -> ServerOptions) -> ServerInfo {
    let stream = UnixStream::connect(socket).expect("the broker listens");
    let mut lines = BufReader::new(&stream);
    write_line(&stream, &name).expect("the broker reads");
    let running: Option<ServerInfo> = read_line(&mut lines).expect("the broker responds");
    running.unwrap_or_else(|| {
        write_line(&stream, &SharedOptions::from(options())).expect("the broker reads");
        read_line(&mut lines).expect("the broker starts the server; its output tells why not")
    })
}

/// Starts servers for the test processes of one run. They end with this process.
#[derive(Debug)]
pub struct ServerBroker {
    folder: TempDir,
}

impl ServerBroker {
    pub fn start() -> io::Result<Self> {
        let broker = Self {
            folder: scratch::folder(),
        };
        let listener = UnixListener::bind(broker.socket())?;
        thread::spawn(move || serve(&listener));
        Ok(broker)
    }

    /// The environment variables by which tests find the broker and its registry.
    pub fn env(&self) -> [(&'static str, OsString); 2] {
        let registry = Registry::installed().url();
        [
            (BROKER, self.socket().into()),
            (registry::URL, registry.into()),
        ]
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("broker")
    }
}

fn serve(listener: &UnixListener) {
    let mut servers = HashMap::new();
    for stream in listener.incoming().flatten() {
        // A test process that was killed has closed its connection.
        let _ = answer(&mut servers, &stream);
    }
}

fn answer(servers: &mut HashMap<String, Server>, stream: &UnixStream) -> io::Result<()> {
    let mut lines = BufReader::new(stream);
    let name: String = read_line(&mut lines)?;
    if !servers.contains_key(&name) {
        write_line(stream, &Value::Null)?;
        let options: SharedOptions = read_line(&mut lines)?;
        let started = thread::spawn(|| Server::start_blocking(options.into())).join();
        let Ok(server) = started else {
            return Err(io::Error::other("the server did not start"));
        };
        servers.insert(name.clone(), server);
    }
    let server: &ServerInfo = &servers[&name];
    write_line(stream, server)
}

fn write_line(mut stream: &UnixStream, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    stream.write_all(&line)
}

fn read_line<T: DeserializeOwned>(lines: &mut impl BufRead) -> io::Result<T> {
    let mut line = String::new();
    lines.read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}
