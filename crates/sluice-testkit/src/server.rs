//! One running server: start, stop, kill and restart.

use std::{
    env,
    ffi::{OsStr, OsString},
    panic,
    path::{Path, PathBuf},
    process::{Child, ExitStatus},
    sync::mpsc::RecvTimeoutError,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tempfile::TempDir;

use crate::{
    Api, Registry, ServerOptions,
    log::Log,
    options::PackageSource,
    raw::is_healthy,
    scratch,
    spawner::{self, Launch},
    wait_for,
};

const START_DEADLINE: Duration = Duration::from_secs(30);
const STOP_DEADLINE: Duration = Duration::from_mins(1);
const RETRY_PAUSE: Duration = Duration::from_millis(50);
/// The environment variables that the server inherits.
const INHERITED: [&str; 2] = ["PATH", "SLUICE_DENO"];

/// The plan of a test user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    Free,
    Paid,
}

/// A `sluice serve` process. Dropping it kills the process and removes its data folder, unless the test chose the folder.
#[derive(Debug)]
pub struct Server {
    options: ServerOptions,
    api_key: String,
    data_dir: DataDir,
    log: Log,
    url: String,
    child: Child,
}

#[derive(Debug)]
enum DataDir {
    Own(TempDir),
    Given(PathBuf),
}

impl DataDir {
    fn path(&self) -> &Path {
        match self {
            Self::Own(folder) => folder.path(),
            Self::Given(path) => path,
        }
    }
}

impl Server {
    /// Starts a server and waits until it is healthy.
    pub async fn start(options: ServerOptions) -> Self {
        off_the_runtime(|| Self::start_blocking(options)).await
    }

    /// As [`Server::start`], for callers outside a runtime.
    pub fn start_blocking(options: ServerOptions) -> Self {
        let api_key = format!("{:032x}", rand::random::<u128>());
        let data_dir = match &options.data_dir {
            Some(path) => DataDir::Given(path.clone()),
            None => DataDir::Own(scratch::folder()),
        };
        let log = Log::default();
        let launch = launch(&options, &api_key, data_dir.path(), "127.0.0.1:0");
        let (child, url) = run_until_healthy(&launch, &log);
        Self {
            options,
            api_key,
            data_dir,
            log,
            url,
            child,
        }
    }

    /// `http://127.0.0.1:<port>`, without a slash at the end.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// `127.0.0.1:<port>`, for raw sockets.
    pub fn addr(&self) -> &str {
        self.url.trim_start_matches("http://")
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The key of the first user, who is the operator.
    pub fn api_key(&self) -> &str {
        &self.api_key
    }

    pub fn data_dir(&self) -> &Path {
        self.data_dir.path()
    }

    /// The last lines of the server's log, across restarts.
    pub fn logs(&self) -> String {
        self.log.text()
    }

    /// A client that acts as the operator.
    pub fn api(&self) -> Api {
        Api::new(&self.url, &self.api_key)
    }

    /// Creates a user and returns a client for it. `name` must be new on this server.
    pub async fn user(&self, name: &str, plan: Plan) -> Api {
        let plan = match plan {
            Plan::Free => "free",
            Plan::Paid => "paid",
        };
        let email = format!("{name}@example.com");
        let body = json!({ "username": name, "email": email, "plan": plan });
        let user = self.api().post("/users", &body).await.ok();
        let key = user["api_key"].as_str();
        Api::new(&self.url, key.expect("a new user has an api_key"))
    }

    /// Kills the server with SIGKILL and reaps it.
    pub fn kill9(&mut self) {
        // Both fail only if the process has already ended and was reaped.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Sends SIGTERM and waits until the server has drained and exited.
    pub async fn terminate(&mut self) -> ExitStatus {
        let pid = i32::try_from(self.pid()).ok().and_then(Pid::from_raw);
        kill_process(pid.expect("a process id is positive"), Signal::TERM)
            .expect("the server is still running");
        let child = &mut self.child;
        wait_for(
            STOP_DEADLINE,
            "the server to end after SIGTERM",
            async || child.try_wait().expect("the server is our child"),
        )
        .await
    }

    /// Restarts the server on the same data and port. Kills it first if it is running.
    pub async fn restart(&mut self) {
        self.kill9();
        let launch = launch(
            &self.options,
            &self.api_key,
            self.data_dir.path(),
            self.addr(),
        );
        let log = self.log.clone();
        (self.child, self.url) = off_the_runtime(move || run_until_healthy(&launch, &log)).await;
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
    let registry = match &options.packages {
        PackageSource::Installed => Some(Registry::installed()),
        PackageSource::Given(registry) => Some(registry),
        PackageSource::Everywhere => None,
    };
    match registry {
        Some(registry) => env.push(("NPM_CONFIG_REGISTRY".into(), registry.url().into())),
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
    while !is_healthy(url.trim_start_matches("http://")) {
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
