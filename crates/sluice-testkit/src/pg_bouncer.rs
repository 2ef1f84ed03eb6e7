//! PgBouncer in transaction mode, in front of a database of a test.

use std::{
    fs,
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use crate::scratch;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/pgbouncer");

/// The exit code of the script where there is no PgBouncer that is new enough.
const MISSING: i32 = 77;

/// The script may download it first.
const PATIENCE: Duration = Duration::from_mins(2);
const PAUSE: Duration = Duration::from_millis(20);

/// Its clients get another session of the database for each transaction.
#[derive(Debug)]
pub struct PgBouncer {
    child: Child,
    url: String,
    _folder: TempDir,
}

impl PgBouncer {
    /// Starts one with this number of sessions. `None` where there is none that is new enough.
    pub fn start(database_url: &str, sessions: u32) -> Option<PgBouncer> {
        let (address, name) = parts(database_url);
        let (host, server_port) = address.rsplit_once(':').expect("a port");
        let port = free_port();
        let folder = scratch::folder();
        let settings = folder.path().join("pgbouncer.ini");
        // It does not run as root.
        let user = if rustix::process::geteuid().is_root() {
            "user = nobody\n"
        } else {
            ""
        };
        let text = format!(
            "[databases]\n{name} = host={host} port={server_port} user=postgres\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
             auth_type = any\npool_mode = transaction\ndefault_pool_size = {sessions}\n\
             max_client_conn = 200\nmax_prepared_statements = 200\n{user}"
        );
        fs::write(&settings, text).expect("its folder can be written");
        let mut child = Command::new(SCRIPT)
            .arg(&settings)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the script starts");
        listens(&mut child, port).then(|| PgBouncer {
            child,
            url: format!("postgres://postgres@127.0.0.1:{port}/{name}?sslmode=disable"),
            _folder: folder,
        })
    }

    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The host with its port, and the database.
fn parts(url: &str) -> (&str, &str) {
    let (_, rest) = url.split_once('@').expect("a user");
    let (address, name) = rest.split_once('/').expect("a database");
    (address, name.split('?').next().unwrap_or(name))
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its address").port()
}

/// Waits until it accepts connections. False if the script found no program.
fn listens(child: &mut Child, port: u16) -> bool {
    let deadline = Instant::now() + PATIENCE;
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        if let Some(status) = child.try_wait().expect("it is our child") {
            assert_eq!(status.code(), Some(MISSING), "PgBouncer ended");
            eprintln!("skipped: no PgBouncer that is new enough");
            return false;
        }
        assert!(Instant::now() < deadline, "PgBouncer does not listen");
        thread::sleep(PAUSE);
    }
    true
}
