//! The output of `sluice dev`: text with labels, or one JSON object per line.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Value, json};
use sluice_api::{EventSummary, LogLine, Source};

use crate::commands::{
    error_location::with_file_name,
    follow::{Format, event_text, line_text},
    output::{BAD, CHANGED, FAINT, GOOD, duration, show, show_stderr, styled},
    source_summary::deployed_summary,
};

pub(super) struct DevOutput {
    format: Format,
    /// The path of the component file, as given.
    file: String,
    /// Paths are shown relative to this folder.
    working_dir: PathBuf,
}

impl DevOutput {
    pub(super) fn new(file: &Path, json: bool) -> io::Result<DevOutput> {
        Ok(DevOutput {
            format: Format::new(json),
            file: file.display().to_string(),
            working_dir: std::env::current_dir()?.canonicalize()?,
        })
    }

    pub(super) fn watching(&self, file: &Path) -> io::Result<()> {
        let file = file
            .strip_prefix(&self.working_dir)
            .unwrap_or(file)
            .display();
        self.emit(
            || json!({ "type": "watching", "file": file.to_string() }),
            || format!("{} {file}\n", styled(FAINT, "watching")),
        )
    }

    /// `url` is that of the server.
    pub(super) fn ready(&self, source: &Source, url: &str) -> io::Result<()> {
        self.emit(
            || json!({ "type": "deployed", "source": source }),
            || {
                let ready = styled(FAINT, "ready: each save updates the source, Ctrl-C stops");
                format!("{}{ready}\n", deployed_summary(source, url))
            },
        )
    }

    pub(super) fn updated(&self, source: &Source, took: Duration) -> io::Result<()> {
        let ms = i64::try_from(took.as_millis()).unwrap_or(i64::MAX);
        self.emit(
            || json!({ "type": "updated", "source": source, "ms": ms }),
            || {
                let slug = &source.name_slug;
                format!("{} {slug} in {}\n", styled(GOOD, "updated"), duration(ms))
            },
        )
    }

    /// Each error begins with its location, if it has one.
    pub(super) fn failed(&self, errors: &[String], is_deployed: bool) -> io::Result<()> {
        self.emit(
            || json!({ "type": "failed", "errors": errors }),
            || {
                let consequence = if is_deployed {
                    "the source is unchanged, waiting for the next save"
                } else {
                    "not deployed yet, waiting for the next save"
                };
                let errors = errors.join("\n");
                let note = styled(FAINT, consequence);
                format!("{}\n{errors}\n{note}\n", styled(BAD, "failed"))
            },
        )
    }

    pub(super) fn event(&self, event: &EventSummary) -> io::Result<()> {
        match self.format {
            Format::Json => show(&json_line(&json!({ "type": "event", "event": event }))),
            format => show(&format!(
                "{} {}",
                styled(GOOD, "event"),
                event_text(event, format)
            )),
        }
    }

    pub(super) fn log(&self, mut line: LogLine) -> io::Result<()> {
        line.msg = with_file_name(&self.file, &line.msg);
        match self.format {
            Format::Json => show(&json_line(&json!({ "type": "log", "log": line }))),
            format => show(&format!(
                "{} {}",
                styled(CHANGED, "log  "),
                line_text(&line, format)
            )),
        }
    }

    pub(super) fn stopped(&self, source: Option<&Source>, is_deleted: bool) -> io::Result<()> {
        self.emit(
            || json!({ "type": "stopped", "deleted": is_deleted }),
            || match source {
                Some(source) if is_deleted => format!("\n{} deleted\n", source.name_slug),
                Some(source) => {
                    let slug = &source.name_slug;
                    format!("\n{slug} keeps running: delete it with `sluice delete {slug}`\n")
                }
                None => "\n".to_owned(),
            },
        )
    }

    fn emit(&self, json: impl FnOnce() -> Value, text: impl FnOnce() -> String) -> io::Result<()> {
        if self.format == Format::Json {
            show(&json_line(&json()))
        } else {
            show_stderr(&text())
        }
    }
}

fn json_line(value: &Value) -> String {
    format!("{value}\n")
}
