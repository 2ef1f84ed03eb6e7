//! The main loop of `sluice dev`: build, send, and wait for the next save.

use std::{
    future::pending,
    time::{Duration, Instant},
};

use anyhow::bail;
use sluice_api::{EventSummary, LogLine, Source};
use sluice_model::EventId;

use super::{output::DevOutput, target::DevTarget, watch::Watch};
use crate::{
    client::ClientError,
    commands::{
        code::{Code, CodeErrors, Module, read_module},
        error_location::input_errors,
        follow::{self, BEGINNING, Feed},
    },
};

/// After a failed build, poll: the cause may be a missing file, which cannot be watched.
const POLL_INTERVAL: Duration = Duration::from_millis(300);

pub(super) struct Session<'a> {
    target: DevTarget<'a>,
    output: DevOutput,
    watch: Watch,
    running: Option<Running>,
}

struct Running {
    source: Source,
    events: Feed<EventSummary>,
    lines: Feed<LogLine>,
}

/// Why the wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WakeReason {
    Saved,
    Poll,
}

impl<'a> Session<'a> {
    pub(super) fn new(target: DevTarget<'a>, output: DevOutput) -> anyhow::Result<Session<'a>> {
        Ok(Session {
            target,
            output,
            watch: Watch::new()?,
            running: None,
        })
    }

    /// Runs until an error that no save can fix.
    pub(super) async fn run(&mut self) -> anyhow::Result<()> {
        let mut sent = None;
        let mut shown: Option<CodeErrors> = None;
        let mut wake_reason = WakeReason::Saved;
        loop {
            let saved_at = Instant::now();
            match self.build().await {
                Ok(module) => {
                    shown = None;
                    let code = module.code.clone();
                    let is_new = self.follow(&module)?;
                    if sent.as_ref() != Some(&code) {
                        let received = self.send(code.clone(), saved_at).await?;
                        sent = received.then_some(code);
                    }
                    // Build once more: a new file may have been saved before it was watched.
                    wake_reason = if is_new {
                        self.watch.debounce().await;
                        WakeReason::Saved
                    } else {
                        self.wait(None).await?
                    };
                }
                Err(errors) => {
                    if wake_reason == WakeReason::Saved || shown.as_ref() != Some(&errors) {
                        self.output.failed(&errors, self.running.is_some())?;
                    }
                    shown = Some(errors);
                    // The next successful build is sent, even if its code was sent before.
                    sent = None;
                    wake_reason = self.wait(Some(POLL_INTERVAL)).await?;
                }
            }
        }
    }

    async fn build(&self) -> Result<Module, CodeErrors> {
        match read_module(self.target.file).await {
            Ok(module) => module,
            Err(error) => Err(vec![format!("{error:#}")]),
        }
    }

    /// Watches the files of the module. Returns whether some are new.
    fn follow(&mut self, module: &Module) -> anyhow::Result<bool> {
        let new = self.watch.follow(&module.files)?;
        for file in &new {
            self.output.watching(file)?;
        }
        Ok(!new.is_empty())
    }

    /// Sends code to the server. Errors that a later save can fix are shown, others are returned. Returns false when the
    /// server did not receive the code.
    async fn send(&mut self, code: Code, saved_at: Instant) -> anyhow::Result<bool> {
        let sent = match &mut self.running {
            None => self.begin(&code).await,
            Some(running) => match self.target.update(&running.source, code).await {
                Ok(source) => {
                    self.output.updated(&source, saved_at.elapsed())?;
                    running.source = source;
                    Ok(())
                }
                Err(error) => Err(error.into()),
            },
        };
        let Err(error) = sent else {
            return Ok(true);
        };
        let is_running = self.running.is_some();
        let client_error = error.downcast_ref::<ClientError>();
        if let Some(errors) = client_error.and_then(|error| input_errors(self.target.file, error)) {
            self.output.failed(&errors, is_running)?;
            return Ok(true);
        }
        if is_running && client_error.is_some_and(ClientError::is_retryable) {
            self.output.failed(&[format!("{error:#}")], is_running)?;
            return Ok(false);
        }
        Err(error)
    }

    async fn begin(&mut self, code: &Code) -> anyhow::Result<()> {
        let initial = self.target.begin(code).await?;
        // Follow an existing source from now on, and a new one from its beginning.
        let (source, feeds) = if let Some(source) = &initial.existing {
            let feeds = self.feeds(source, None).await?;
            (self.target.deploy(&initial).await?, feeds)
        } else {
            let source = self.target.deploy(&initial).await?;
            let feeds = self.feeds(&source, Some(BEGINNING)).await?;
            (source, feeds)
        };
        self.output.ready(&source, self.target.client.url())?;
        let (events, lines) = feeds;
        self.running = Some(Running {
            source,
            events,
            lines,
        });
        Ok(())
    }

    async fn feeds(
        &self,
        source: &Source,
        after: Option<EventId>,
    ) -> Result<(Feed<EventSummary>, Feed<LogLine>), ClientError> {
        let client = self.target.client;
        let events =
            follow::events(client, &source.id, follow::Selection::default(), after).await?;
        let lines = follow::lines(client, &source.id, None, after).await?;
        Ok((events, lines))
    }

    /// Shows events and log lines until a file is saved, or the poll interval is over.
    async fn wait(&mut self, interval: Option<Duration>) -> anyhow::Result<WakeReason> {
        let poll = async {
            match interval {
                Some(pause) => tokio::time::sleep(pause).await,
                None => pending().await,
            }
        };
        tokio::pin!(poll);
        loop {
            let (event, line) = match &mut self.running {
                Some(Running { events, lines, .. }) => (Some(events), Some(lines)),
                None => (None, None),
            };
            tokio::select! {
                () = self.watch.changed() => return Ok(WakeReason::Saved),
                () = &mut poll => return Ok(WakeReason::Poll),
                event = next(event) => match event {
                    Some(event) => self.output.event(&event?)?,
                    None => bail!("the source was deleted"),
                },
                line = next(line) => match line {
                    Some(line) => self.output.log(line?)?,
                    None => bail!("the source was deleted"),
                },
            }
        }
    }

    pub(super) async fn end(self, delete: bool) -> anyhow::Result<()> {
        let source = self.running.map(|running| running.source);
        if let (Some(source), true) = (&source, delete) {
            self.target.delete(source).await?;
        }
        Ok(self.output.stopped(source.as_ref(), delete)?)
    }
}

/// The next item of a feed. Without a feed it never completes.
async fn next<T>(feed: Option<&mut Feed<T>>) -> Option<Result<T, ClientError>>
where
    T: serde::de::DeserializeOwned + Send + 'static,
{
    match feed {
        Some(feed) => feed.next().await,
        None => pending().await,
    }
}
