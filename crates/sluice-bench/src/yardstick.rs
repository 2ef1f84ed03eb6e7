//! The yardstick of section b: one `deno serve` process with a handler that keeps nothing.

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

/// A running yardstick. Dropping it ends the process.
pub(crate) struct Yardstick {
    child: Child,
    pub(crate) addr: String,
}

impl Yardstick {
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
            .arg(script("yardstick.mjs"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .context("cannot start Deno")?;
        let yardstick = Self {
            child,
            addr: format!("127.0.0.1:{port}"),
        };
        let deadline = Instant::now() + START_DEADLINE;
        while TcpStream::connect(&yardstick.addr).await.is_err() {
            if Instant::now() > deadline {
                bail!("the yardstick did not listen on {}", yardstick.addr);
            }
            sleep(POLL_INTERVAL).await;
        }
        Ok(yardstick)
    }
}

impl Drop for Yardstick {
    fn drop(&mut self) {
        // Both fail only for a process that has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port that is free now. `deno serve` cannot tell which one it took, so it cannot be asked to choose.
fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
