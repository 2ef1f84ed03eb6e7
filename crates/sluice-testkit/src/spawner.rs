//! Starts server processes so that none outlives the test process.
//!
//! A test process can end without running destructors (statics, aborts, SIGKILL), so every server is started with a
//! parent-death signal. That signal fires when the *thread* that started the child ends. Test threads are short-lived, so
//! one thread that never ends starts all servers.

use std::{
    ffi::OsString,
    io,
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        mpsc::{Sender, channel, sync_channel},
    },
    thread,
};

type Job = Box<dyn FnOnce() + Send>;

/// The program, arguments and environment of a process.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    /// The complete environment. No variables are inherited.
    pub(crate) env: Vec<(OsString, OsString)>,
}

/// Starts a process with a pipe for its standard error.
pub(crate) fn spawn(launch: Launch) -> io::Result<Child> {
    let (reply, answer) = sync_channel(1);
    let job: Job = Box::new(move || {
        // The receiver below waits for this message.
        let _ = reply.send(start(launch));
    });
    immortal_thread()
        .send(job)
        .expect("the spawning thread never ends");
    answer.recv().expect("the spawning thread always responds")
}

fn immortal_thread() -> &'static Sender<Job> {
    static THREAD: OnceLock<Sender<Job>> = OnceLock::new();
    THREAD.get_or_init(|| {
        let (sender, jobs) = channel::<Job>();
        thread::Builder::new()
            .name("spawner".to_owned())
            .spawn(move || jobs.into_iter().for_each(|job| job()))
            .expect("a thread can be started");
        sender
    })
}

fn start(launch: Launch) -> io::Result<Child> {
    let Launch { program, args, env } = launch;
    let mut command = if has_setpriv() {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--"]).arg(program);
        command
    } else {
        Command::new(program)
    };
    command
        .args(args)
        .env_clear()
        .envs(env)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
}

/// `setpriv` is part of util-linux. Without it, a server may outlive a test process that was killed.
fn has_setpriv() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| {
        Command::new("setpriv")
            .args(["--pdeathsig", "KILL", "--", "true"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    })
}
