//! The response to an import: a JSON line for each step, and empty lines as heartbeats. The import runs while the client
//! reads, and is dropped with the response.

use std::{convert::Infallible, future::Future, pin::Pin, time::Duration};

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use sluice_api::{
    AppFieldUse, CheckedApp, ComponentField, ImportOutcome, ImportProgress, ImportedComponent,
    RemovedFile,
};
use sluice_app::{ComponentDetails, EngineError};
use sluice_infra::Shutdown;
use tokio::{
    sync::mpsc,
    time::{Instant, Interval, MissedTickBehavior},
};

use crate::error::ApiError;

const HEARTBEAT: Duration = Duration::from_secs(10);

pub(super) struct ImportStream {
    state: State,
    progress: mpsc::Receiver<sluice_app::ImportProgress>,
    shutdown: Shutdown,
    heartbeat: Interval,
}

enum State {
    Running(Pin<Box<dyn Future<Output = Result<(), EngineError>> + Send>>),
    /// The run is over. The steps that wait are sent first.
    Ending(ImportProgress),
    Ended,
}

impl ImportStream {
    pub(super) fn new(
        run: impl Future<Output = Result<(), EngineError>> + Send + 'static,
        progress: mpsc::Receiver<sluice_app::ImportProgress>,
        shutdown: Shutdown,
    ) -> ImportStream {
        let mut heartbeat = tokio::time::interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        ImportStream {
            state: State::Running(Box::pin(run)),
            progress,
            shutdown,
            heartbeat,
        }
    }

    pub(super) fn into_body(self) -> Body {
        let lines = stream::unfold(self, |mut stream| async {
            let line = stream.next().await?;
            Some((Ok::<_, Infallible>(line), stream))
        });
        Body::from_stream(lines)
    }

    async fn next(&mut self) -> Option<Bytes> {
        if let State::Running(run) = &mut self.state {
            let last = tokio::select! {
                biased;
                Some(step) = self.progress.recv() => return Some(line(&on_the_wire(step))),
                result = run => end(result),
                () = self.shutdown.draining() => shutting_down(),
                _ = self.heartbeat.tick() => return Some(Bytes::from_static(b"\n")),
            };
            self.state = State::Ending(last);
        }
        if let Ok(step) = self.progress.try_recv() {
            return Some(line(&on_the_wire(step)));
        }
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Ending(last) => Some(line(&last)),
            State::Running(_) | State::Ended => None,
        }
    }
}

fn shutting_down() -> ImportProgress {
    let error = "the server is shutting down: start the import again".to_owned();
    ImportProgress::Failed { error }
}

fn end(result: Result<(), EngineError>) -> ImportProgress {
    match result {
        Ok(()) => ImportProgress::Finished,
        Err(error) => ImportProgress::Failed {
            error: ApiError::from(error).report(),
        },
    }
}

fn line(step: &ImportProgress) -> Bytes {
    let mut line = serde_json::to_vec(step).expect("all keys of a step are strings");
    line.push(b'\n');
    line.into()
}

fn on_the_wire(step: sluice_app::ImportProgress) -> ImportProgress {
    match step {
        sluice_app::ImportProgress::Begun {
            import,
            total,
            skipped,
        } => ImportProgress::Begun {
            import_id: import.map(|id| id.to_string()),
            total,
            skipped,
        },
        sluice_app::ImportProgress::Components(components) => ImportProgress::Components {
            components: components.into_iter().map(component).collect(),
        },
        sluice_app::ImportProgress::Removed(files) => ImportProgress::Removed {
            files: files.into_iter().map(removed_file).collect(),
        },
        sluice_app::ImportProgress::Apps(apps) => ImportProgress::Apps {
            apps: apps.into_iter().map(checked_app).collect(),
        },
    }
}

fn component(imported: sluice_app::ImportedComponent) -> ImportedComponent {
    let sluice_app::ImportedComponent {
        path,
        outcome,
        details,
    } = imported;
    let registered = outcome.registered();
    let (key, version) = registered
        .map(|(key, version)| (key.to_owned(), version.to_owned()))
        .unzip();
    let (outcome, failure) = match outcome {
        sluice_app::ImportOutcome::Registered { .. } => (ImportOutcome::Registered, None),
        sluice_app::ImportOutcome::Updated { .. } => (ImportOutcome::Updated, None),
        sluice_app::ImportOutcome::Unchanged { .. } => (ImportOutcome::Unchanged, None),
        sluice_app::ImportOutcome::Failed(failure) => (ImportOutcome::Failed, Some(failure)),
    };
    let (reason, errors) = failure
        .map(|failure| (failure.reason, failure.errors))
        .unzip();
    let (kind, app, packages, fields) = match details {
        Some(ComponentDetails {
            kind,
            app,
            packages,
            fields,
        }) => (Some(kind.as_str().to_owned()), app, packages, fields),
        None => (None, None, Vec::new(), Vec::new()),
    };
    ImportedComponent {
        path,
        outcome,
        key,
        version,
        reason,
        errors: errors.unwrap_or_default(),
        kind,
        app,
        packages,
        fields: fields.into_iter().map(component_field).collect(),
    }
}

fn component_field(field: sluice_app::FieldUse) -> ComponentField {
    let sluice_app::FieldUse {
        app,
        name,
        optional,
    } = field;
    ComponentField {
        app,
        name,
        optional,
    }
}

fn removed_file(file: sluice_app::RemovedFile) -> RemovedFile {
    let sluice_app::RemovedFile { path, key, pruned } = file;
    RemovedFile { path, key, pruned }
}

fn checked_app(app: sluice_app::CheckedApp) -> CheckedApp {
    let fields = app.fields.into_iter().map(|field| AppFieldUse {
        name: field.name,
        optional: field.optional,
        registered: field.registered,
    });
    CheckedApp {
        name_slug: app.slug,
        fields: fields.collect(),
    }
}
