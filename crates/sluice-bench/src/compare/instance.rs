//! A running instance of a program, on its own data folder and port.

use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use tempfile::TempDir;
use tokio::time::sleep;

use super::{
    order,
    process::{Process, end_of},
    program::{Place, Program},
};
use crate::{baseline::free_port, load::Connection};

/// The first start of n8n migrates its database.
const START_DEADLINE: Duration = Duration::from_mins(3);
const POLL_INTERVAL: Duration = Duration::from_millis(100);
const PROBE_DEADLINE: Duration = Duration::from_secs(2);
/// The number of the order that is sent until the program processes it. It is not among the measured ones.
const PROBE: u64 = 0;

pub(crate) struct Instance<'a, P: Program> {
    program: &'a mut P,
    folder: TempDir,
    port: u16,
    /// The path of the webhook.
    path: String,
    process: Process,
}

impl<'a, P: Program> Instance<'a, P> {
    /// Starts the program on an empty data folder and waits until it processes requests.
    pub(crate) async fn start(program: &'a mut P) -> anyhow::Result<Self> {
        let folder = sluice_testkit::scratch_folder();
        let port = free_port()?;
        let place = Place {
            folder: folder.path(),
            port,
        };
        program.prepare(place.folder).await?;
        let process = launch(program, place)?;
        let path = program.deploy(place).await;
        let path = path.with_context(|| end_of(&folder.path().join(LOG)))?;
        let mut instance = Self {
            program,
            folder,
            port,
            path,
            process,
        };
        instance.wait_until_ready().await?;
        Ok(instance)
    }

    /// Kills the program with SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.process.kill();
    }

    /// Starts the program again on the same data, after it was killed.
    pub(crate) async fn restart(&mut self) -> anyhow::Result<()> {
        self.process = launch(self.program, self.place())?;
        self.wait_until_ready().await
    }

    pub(crate) fn program(&self) -> &P {
        self.program
    }

    pub(crate) fn place(&self) -> Place<'_> {
        Place {
            folder: self.folder.path(),
            port: self.port,
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// `host:port` of the webhook.
    pub(crate) fn addr(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Waits until no event has been processed for `pause`. Returns how many were processed since the start, if the
    /// program counts them.
    pub(crate) async fn settle(
        &self,
        pause: Duration,
        deadline: Duration,
    ) -> anyhow::Result<Option<u64>> {
        let start = Instant::now();
        let mut last = self.program.processed(self.place()).await?;
        let mut since = Instant::now();
        while since.elapsed() < pause {
            ensure!(
                start.elapsed() < deadline,
                "still busy after {} s",
                deadline.as_secs()
            );
            sleep(POLL_INTERVAL).await;
            let processed = self.program.processed(self.place()).await?;
            if processed != last {
                (last, since) = (processed, Instant::now());
            }
        }
        Ok(last)
    }

    async fn wait_until_ready(&mut self) -> anyhow::Result<()> {
        let deadline = Instant::now() + START_DEADLINE;
        let (addr, log) = (self.addr(), self.folder.path().join(LOG));
        let request = order::request(&addr, &self.path, PROBE);
        while !self.processes(&addr, &request).await? {
            if let Some(status) = self.process.exit_status()? {
                bail!("it ended with {status}:\n{}", end_of(&log));
            }
            ensure!(
                Instant::now() < deadline,
                "it processes no requests:\n{}",
                end_of(&log)
            );
            sleep(POLL_INTERVAL).await;
        }
        Ok(())
    }

    /// Whether the program accepts and processes a request. While n8n starts, it responds to all requests with 200.
    async fn processes(&self, addr: &str, request: &[u8]) -> anyhow::Result<bool> {
        if !accepts(addr, request).await {
            return Ok(false);
        }
        let Some(before) = self.program.processed(self.place()).await? else {
            return Ok(true);
        };
        let deadline = Instant::now() + PROBE_DEADLINE;
        while accepts(addr, request).await && Instant::now() < deadline {
            if self.program.processed(self.place()).await? > Some(before) {
                return Ok(true);
            }
            sleep(POLL_INTERVAL).await;
        }
        Ok(false)
    }
}

/// The output of the program, in its data folder.
const LOG: &str = "output.log";

fn launch<P: Program>(program: &P, place: Place<'_>) -> anyhow::Result<Process> {
    Process::start(program.command(place), &place.folder.join(LOG))
}

async fn accepts(addr: &str, request: &[u8]) -> bool {
    let Ok(mut connection) = Connection::open(addr).await else {
        return false;
    };
    matches!(connection.exchange(request).await, Ok(200..300))
}
