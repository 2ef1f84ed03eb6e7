//! What is told while a component is developed: to people with marks, to programs as one JSON object to a line.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Value, json};
use sluice_api::{EventSummary, LogLine, Source};

use crate::commands::{
    deploy::deployed,
    follow::{Form, event_text, line_text},
    output::{BAD, CHANGED, FAINT, GOOD, complain, duration, show, styled},
    places::in_file,
};

pub(super) struct Voice {
    form: Form,
    /// What the file of the component is called.
    file: String,
    /// Paths are told from here.
    here: PathBuf,
}

impl Voice {
    pub(super) fn new(file: &Path, json: bool) -> io::Result<Voice> {
        Ok(Voice {
            form: Form::new(json),
            file: file.display().to_string(),
            here: std::env::current_dir()?.canonicalize()?,
        })
    }

    pub(super) fn watching(&self, file: &Path) -> io::Result<()> {
        let file = file.strip_prefix(&self.here).unwrap_or(file).display();
        self.say(
            || json!({ "type": "watching", "file": file.to_string() }),
            || format!("{} {file}\n", styled(FAINT, "watching")),
        )
    }

    /// `url` is that of the server.
    pub(super) fn ready(&self, source: &Source, url: &str) -> io::Result<()> {
        self.say(
            || json!({ "type": "deployed", "source": source }),
            || {
                let ready = styled(FAINT, "ready: each save updates it, Ctrl-C ends this");
                format!("{}{ready}\n", deployed(source, url))
            },
        )
    }

    pub(super) fn updated(&self, source: &Source, took: Duration) -> io::Result<()> {
        let ms = i64::try_from(took.as_millis()).unwrap_or(i64::MAX);
        self.say(
            || json!({ "type": "updated", "source": source, "ms": ms }),
            || {
                let slug = &source.name_slug;
                format!("{} {slug} in {}\n", styled(GOOD, "updated"), duration(ms))
            },
        )
    }

    /// Each error with its place, if it has one.
    pub(super) fn failed(&self, errors: &[String], is_deployed: bool) -> io::Result<()> {
        self.say(
            || json!({ "type": "failed", "errors": errors }),
            || {
                let consequence = if is_deployed {
                    "the source stays as it was, waiting for the next save"
                } else {
                    "nothing is deployed yet, waiting for the next save"
                };
                let errors = errors.join("\n");
                let told = styled(FAINT, consequence);
                format!("{}\n{errors}\n{told}\n", styled(BAD, "failed"))
            },
        )
    }

    pub(super) fn event(&self, event: &EventSummary) -> io::Result<()> {
        match self.form {
            Form::Json => show(&line(&json!({ "type": "event", "event": event }))),
            form => show(&format!(
                "{} {}",
                styled(GOOD, "event"),
                event_text(event, form)
            )),
        }
    }

    pub(super) fn log(&self, mut logged: LogLine) -> io::Result<()> {
        logged.msg = in_file(&self.file, &logged.msg);
        match self.form {
            Form::Json => show(&line(&json!({ "type": "log", "log": logged }))),
            form => show(&format!(
                "{} {}",
                styled(CHANGED, "log  "),
                line_text(&logged, form)
            )),
        }
    }

    pub(super) fn stopped(&self, source: Option<&Source>, is_deleted: bool) -> io::Result<()> {
        self.say(
            || json!({ "type": "stopped", "deleted": is_deleted }),
            || match source {
                Some(source) if is_deleted => format!("\n{} is deleted\n", source.name_slug),
                Some(source) => {
                    let slug = &source.name_slug;
                    format!("\n{slug} keeps running: `sluice delete {slug}` deletes it\n")
                }
                None => "\n".to_owned(),
            },
        )
    }

    fn say(
        &self,
        to_programs: impl FnOnce() -> Value,
        to_people: impl FnOnce() -> String,
    ) -> io::Result<()> {
        if self.form == Form::Json {
            show(&line(&to_programs()))
        } else {
            complain(&to_people())
        }
    }
}

fn line(value: &Value) -> String {
    format!("{value}\n")
}
