//! One running server: start, stop, kill and restart.

use std::{
    env,
    ffi::{OsStr, OsString},
    ops::Deref,
    panic,
    path::Path,
    process::{Child, ExitStatus},
    sync::mpsc::RecvTimeoutError,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::{
    Registry, ServerInfo, ServerOptions,
    log::Log,
    options::PackageSource,
    raw::is_healthy,
    scratch,
    spawner::{self, Launch},
    unique_hex, wait_for,
};

const START_DEADLINE: Duration = Duration::from_secs(30);
const STOP_DEADLINE: Duration = Duration::from_mins(1);
const RETRY_PAUSE: Duration = Duration::from_millis(50);
/// The environment variables that the server inherits.
const INHERITED: [&str; 3] = ["PATH", "SLUICE_DENO", "SLUICE_TEST_DENO_PERMISSIONS"];

/// A `sluice serve` process. Dropping it kills the process and removes its data folder, unless the test chose the folder.
#[derive(Debug)]
pub struct Server {
    info: ServerInfo,
    options: ServerOptions,
    log: Log,
    child: Child,
    /// Its data folder, unless the test chose it.
    _own_folder: Option<TempDir>,
}

impl Server {
    /// Starts a server and waits until it is healthy. With TLS, until it listens.
    pub async fn start(options: ServerOptions) -> Self {
        off_the_runtime(|| Self::start_blocking(options)).await
    }

    /// As [`Server::start`], for callers outside a runtime.
    pub fn start_blocking(options: ServerOptions) -> Self {
        let api_key = options.api_key.clone().unwrap_or_else(unique_hex);
        let own_folder = options.data_dir.is_none().then(scratch::folder);
        let data_dir = match (&own_folder, &options.data_dir) {
            (Some(folder), _) => folder.path().to_owned(),
            (None, given) => given.clone().unwrap_or_default(),
        };
        let log = Log::default();
        let launch = launch(&options, &api_key, &data_dir, "127.0.0.1:0");
        let (child, url) = run_until_healthy(&launch, &log);
        let info = ServerInfo::new(url, api_key, data_dir, child.id());
        Self {
            info,
            options,
            log,
            child,
            _own_folder: own_folder,
        }
    }

    /// Starts a server that must exit by itself. Returns how long it ran, and its log.
    pub async fn start_refused(options: ServerOptions) -> (Duration, String) {
        off_the_runtime(move || {
            let own_folder = scratch::folder();
            let data_dir = options.data_dir.as_deref().unwrap_or(own_folder.path());
            let launch = launch(&options, &unique_hex(), data_dir, "127.0.0.1:0");
            let begun = Instant::now();
            let child = spawner::spawn(launch).expect("the binary can be started");
            let output = child.wait_with_output().expect("the server is our child");
            let log = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success(), "it exits with an error: {log}");
            (begun.elapsed(), log)
        })
        .await
    }

    /// The last lines of the server's log, across restarts.
    pub fn logs(&self) -> String {
        self.log.text()
    }

    /// Kills the server with SIGKILL and reaps it.
    pub fn kill9(&mut self) {
        // Both fail only if the process has already ended and was reaped.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Sends SIGTERM and waits until the server has drained and exited.
    pub async fn terminate(&mut self) -> ExitStatus {
        self.signal(Signal::TERM);
        self.ended().await
    }

    /// Stops the process with SIGSTOP, as when its machine is suspended. Its sockets stay open.
    pub fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets a frozen process go on.
    pub fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    /// Sends SIGHUP.
    pub fn hang_up(&self) {
        self.signal(Signal::HUP);
    }

    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.pid()).ok().and_then(Pid::from_raw);
        kill_process(pid.expect("a process id is positive"), signal)
            .expect("the server is still running");
    }

    pub fn is_running(&mut self) -> bool {
        let ended = self.child.try_wait().expect("the server is our child");
        ended.is_none()
    }

    /// Waits until the server has exited.
    pub async fn ended(&mut self) -> ExitStatus {
        let child = &mut self.child;
        wait_for(STOP_DEADLINE, "the server to end", async || {
            child.try_wait().expect("the server is our child")
        })
        .await
    }

    /// Restarts the server on the same data and port. Kills it first if it is running.
    pub async fn restart(&mut self) {
        self.kill9();
        let info = &self.info;
        let launch = launch(&self.options, info.api_key(), info.data_dir(), info.addr());
        let log = self.log.clone();
        let (child, url) = off_the_runtime(move || run_until_healthy(&launch, &log)).await;
        self.info.restarted(url, child.id());
        self.child = child;
    }
}

impl Deref for Server {
    type Target = ServerInfo;

    fn deref(&self) -> &ServerInfo {
        &self.info
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill9();
    }
}

/// Runs blocking work without blocking the caller's other tasks. A panic is propagated to the caller.
async fn off_the_runtime<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(value) => value,
        Err(error) => panic::resume_unwind(error.into_panic()),
    }
}

fn launch(options: &ServerOptions, api_key: &str, data_dir: &Path, listen: &str) -> Launch {
    let mut args: Vec<OsString> = ["serve", "--log-format", "json", "--listen", listen]
        .map(OsString::from)
        .to_vec();
    args.extend(["--data-dir".into(), data_dir.into()]);
    args.extend_from_slice(&options.args);

    let mut env: Vec<(OsString, OsString)> = INHERITED
        .iter()
        .filter_map(|name| Some((name.into(), env::var_os(name)?)))
        .collect();
    env.push(("SLUICE_API_KEY".into(), api_key.into()));
    // The first start writes a CLI profile, which must not replace the profile of the developer.
    env.push(("XDG_CONFIG_HOME".into(), data_dir.join("config").into()));
    // Starting a process takes long on a busy machine. The flag `--load-timeout` takes precedence.
    env.push(("SLUICE_LOAD_TIMEOUT".into(), "1m".into()));
    let registry = match &options.packages {
        PackageSource::Installed => Some(Registry::installed_url()),
        PackageSource::Given(registry) => Some(registry.url().to_owned()),
        PackageSource::Everywhere => None,
    };
    match registry {
        Some(url) => env.push(("NPM_CONFIG_REGISTRY".into(), url.into())),
        None => env.extend(env::vars_os().filter(|(name, _)| !is_ours(name))),
    }
    env.extend_from_slice(&options.env);

    Launch {
        program: options.binary.clone().into(),
        args,
        env,
    }
}

/// `SLUICE_` variables are not inherited, so that settings come from the test only.
fn is_ours(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with("SLUICE_")
}

/// Starts the process and waits for its address and for `/healthz`.
///
/// A client that keeps connecting to the port of a killed server can briefly occupy that port as its own local port. So a
/// server that could not bind is started again until the deadline.
fn run_until_healthy(launch: &Launch, log: &Log) -> (Child, String) {
    let deadline = Instant::now() + START_DEADLINE;
    loop {
        let mut child = match spawner::spawn(launch.clone()) {
            Ok(child) => child,
            Err(error) => panic!("cannot start {}: {error}", launch.program.display()),
        };
        let stderr = child.stderr.take().expect("standard error is piped");
        let announced = log.follow(stderr);
        match announced.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(url) => {
                wait_until_healthy(&mut child, &url, deadline, log);
                return (child, url);
            }
            Err(RecvTimeoutError::Disconnected)
                if port_was_taken(log) && Instant::now() < deadline =>
            {
                let _ = child.wait();
                thread::sleep(RETRY_PAUSE);
            }
            Err(error) => give_up(&mut child, log, &format!("announced no address ({error})")),
        }
    }
}

fn wait_until_healthy(child: &mut Child, url: &str, deadline: Instant, log: &Log) {
    let Some(address) = url.strip_prefix("http://") else {
        return;
    };
    while !is_healthy(address) {
        if Instant::now() >= deadline {
            give_up(child, log, "did not become healthy");
        }
        thread::sleep(RETRY_PAUSE);
    }
}

fn port_was_taken(log: &Log) -> bool {
    let text = log.text();
    let last_lines = text.lines().rev().take(5);
    last_lines
        .into_iter()
        .any(|line| line.to_lowercase().contains("address already in use"))
}

fn give_up(child: &mut Child, log: &Log, what: &str) -> ! {
    let _ = child.kill();
    let status = child.wait();
    panic!(
        "the server {what}; it ended with {status:?}; its log:\n{}",
        log.text()
    )
}
