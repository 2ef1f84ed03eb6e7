//! The baseline of section b: one `deno serve` process with a handler that stores nothing.

use std::{
    net::TcpListener,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use tokio::{net::TcpStream, time::sleep};

use crate::settings::{deno, script};

const START_DEADLINE: Duration = Duration::from_secs(20);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The running baseline. Dropping it stops the process.
pub(crate) struct Baseline {
    child: Child,
    pub(crate) addr: String,
}

impl Baseline {
    pub(crate) async fn start() -> anyhow::Result<Self> {
        let port = free_port()?;
        let child = Command::new(deno()?)
            .args([
                "serve",
                "--quiet",
                "--no-prompt",
                "--host",
                "127.0.0.1",
                "--port",
            ])
            .arg(port.to_string())
            .arg(script("baseline.mjs"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .context("cannot start Deno")?;
        let baseline = Self {
            child,
            addr: format!("127.0.0.1:{port}"),
        };
        let deadline = Instant::now() + START_DEADLINE;
        while TcpStream::connect(&baseline.addr).await.is_err() {
            if Instant::now() > deadline {
                bail!("the baseline did not listen on {}", baseline.addr);
            }
            sleep(POLL_INTERVAL).await;
        }
        Ok(baseline)
    }
}

impl Drop for Baseline {
    fn drop(&mut self) {
        // Both fail only if the process has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A free port. `deno serve` does not report the port that it chooses itself.
pub(crate) fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
