//! The life of `sluice dev`: build, send, and wait for the next save.

use std::{
    future::pending,
    time::{Duration, Instant},
};

use anyhow::bail;
use sluice_api::{EventSummary, LogLine, Source};
use sluice_model::EventId;

use super::{target::Wanted, voice::Voice, watch::Watch};
use crate::{
    client::ClientError,
    commands::{
        code::{Faults, Module, read_module},
        follow::{self, BEGINNING, Feed},
        places::fault_in_file,
    },
};

/// What keeps a component from being built may be a file that nobody watches because it is not there: we look again.
const NEXT_LOOK: Duration = Duration::from_millis(300);

pub(super) struct Session<'a> {
    wanted: Wanted<'a>,
    voice: Voice,
    watch: Watch,
    running: Option<Running>,
}

struct Running {
    source: Source,
    events: Feed<EventSummary>,
    lines: Feed<LogLine>,
}

/// Why waiting is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Woken {
    Saved,
    LooksAgain,
}

impl<'a> Session<'a> {
    pub(super) fn new(wanted: Wanted<'a>, voice: Voice) -> anyhow::Result<Session<'a>> {
        Ok(Session {
            wanted,
            voice,
            watch: Watch::new()?,
            running: None,
        })
    }

    /// Goes on until something happens that no save can mend.
    pub(super) async fn run(&mut self) -> anyhow::Result<()> {
        let mut sent = None;
        let mut told: Option<Faults> = None;
        let mut woken = Woken::Saved;
        loop {
            let saved_at = Instant::now();
            match self.build().await {
                Ok(module) => {
                    told = None;
                    let code = module.sent();
                    let is_new = self.follow(&module)?;
                    if sent.as_ref() != Some(&code) {
                        let arrived = self.send(code.clone(), saved_at).await?;
                        sent = arrived.then_some(code);
                    }
                    // What was saved before it was watched is seen by building once more.
                    woken = if is_new {
                        self.watch.quiet().await;
                        Woken::Saved
                    } else {
                        self.wait(None).await?
                    };
                }
                Err(faults) => {
                    if woken == Woken::Saved || told.as_ref() != Some(&faults) {
                        self.voice.failed(&faults, self.running.is_some())?;
                    }
                    told = Some(faults);
                    // The next build counts, even when it gives what was sent last.
                    sent = None;
                    woken = self.wait(Some(NEXT_LOOK)).await?;
                }
            }
        }
    }

    async fn build(&self) -> Result<Module, Faults> {
        match read_module(self.wanted.file).await {
            Ok(built) => built,
            Err(error) => Err(vec![format!("{error:#}")]),
        }
    }

    /// True when there are files that were not watched before.
    fn follow(&mut self, module: &Module) -> anyhow::Result<bool> {
        let new = self.watch.follow(&module.files)?;
        for file in &new {
            self.voice.watching(file)?;
        }
        Ok(!new.is_empty())
    }

    /// Puts code on the server. What a later save can mend is told; anything else is an error. False when the server has not
    /// even seen it.
    async fn send(&mut self, code: String, saved_at: Instant) -> anyhow::Result<bool> {
        let sent = match &mut self.running {
            None => self.begin(code).await,
            Some(running) => match self.wanted.update(&running.source, code).await {
                Ok(source) => {
                    self.voice.updated(&source, saved_at.elapsed())?;
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
        let refusal = error.downcast_ref::<ClientError>();
        if let Some(faults) = refusal.and_then(ClientError::faults) {
            let file = self.wanted.file.display().to_string();
            let faults = faults.iter().map(|fault| fault_in_file(&file, fault));
            self.voice.failed(&faults.collect::<Vec<_>>(), is_running)?;
            return Ok(true);
        }
        if is_running && refusal.is_some_and(ClientError::is_passing) {
            self.voice.failed(&[format!("{error:#}")], is_running)?;
            return Ok(false);
        }
        Err(error)
    }

    async fn begin(&mut self, code: String) -> anyhow::Result<()> {
        let beginning = self.wanted.begin(code).await?;
        // What an existing source has done is no news; all that a new one does is.
        let (source, feeds) = if let Some(source) = &beginning.existing {
            let feeds = self.feeds(source, None).await?;
            (self.wanted.deploy(&beginning).await?, feeds)
        } else {
            let source = self.wanted.deploy(&beginning).await?;
            let feeds = self.feeds(&source, Some(BEGINNING)).await?;
            (source, feeds)
        };
        self.voice.ready(&source, self.wanted.client.url())?;
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
        let client = self.wanted.client;
        let events = follow::events(client, &source.id, None, after).await?;
        let lines = follow::lines(client, &source.id, after).await?;
        Ok((events, lines))
    }

    /// Shows what the source does until a file is saved, or it is time to look again.
    async fn wait(&mut self, next_look: Option<Duration>) -> anyhow::Result<Woken> {
        let next_look = async {
            match next_look {
                Some(pause) => tokio::time::sleep(pause).await,
                None => pending().await,
            }
        };
        tokio::pin!(next_look);
        loop {
            let (event, line) = match &mut self.running {
                Some(Running { events, lines, .. }) => (Some(events), Some(lines)),
                None => (None, None),
            };
            tokio::select! {
                () = self.watch.changed() => return Ok(Woken::Saved),
                () = &mut next_look => return Ok(Woken::LooksAgain),
                event = next(event) => match event {
                    Some(event) => self.voice.event(&event?)?,
                    None => bail!("the source was deleted"),
                },
                line = next(line) => match line {
                    Some(line) => self.voice.log(line?)?,
                    None => bail!("the source was deleted"),
                },
            }
        }
    }

    pub(super) async fn end(self, delete: bool) -> anyhow::Result<()> {
        let source = self.running.map(|running| running.source);
        if let (Some(source), true) = (&source, delete) {
            self.wanted.delete(source).await?;
        }
        Ok(self.voice.stopped(source.as_ref(), delete)?)
    }
}

/// The next item of a feed; never without one.
async fn next<T>(feed: Option<&mut Feed<T>>) -> Option<Result<T, ClientError>>
where
    T: serde::de::DeserializeOwned + Send + 'static,
{
    match feed {
        Some(feed) => feed.next().await,
        None => pending().await,
    }
}
