//! The pages at the address of a waiting run: the question, and the result.

use std::fmt::Write;

use axum::response::Response;
use http::StatusCode;
use rand::CryptoRng;
use sluice_model::workflow::PauseKind;
use sluice_store::run_waits::RunWait;

use crate::{
    error::ApiError,
    html::{Escaped, Forms, HtmlPage},
};

/// The purpose of an address.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Resume,
    Cancel,
}

impl Action {
    /// The segment of its address, and its class in the style of the page.
    fn name(self) -> &'static str {
        match self {
            Action::Resume => "resume",
            Action::Cancel => "cancel",
        }
    }

    fn label(self) -> &'static str {
        match self {
            Action::Resume => "Resume",
            Action::Cancel => "Cancel run",
        }
    }
}

/// Asks whether to resume or to cancel the run. The answer is a POST request with the query of the link.
pub(super) fn question(
    opened: Action,
    key: &str,
    query: &str,
    wait: &RunWait,
    rng: &mut impl CryptoRng,
) -> Response {
    let other = match opened {
        Action::Resume => Action::Cancel,
        Action::Cancel => Action::Resume,
    };
    let content = format!(
        "<p>{}</p>\n{}<div class=\"actions\">\n{}{}</div>\n<p class=\"quiet\">{} Only the first answer counts.</p>",
        state(wait),
        data(query),
        button(opened, key, query, " primary"),
        button(other, key, query, ""),
        consequences(wait.pause),
    );
    let title = match opened {
        Action::Resume => format!("Resume {}?", wait.workflow),
        Action::Cancel => format!("Cancel {}?", wait.workflow),
    };
    let page = HtmlPage {
        status: StatusCode::OK,
        title: &title,
        content,
        forms: Forms::Own,
    };
    page.respond(rng)
}

pub(super) fn done(action: Action, rng: &mut impl CryptoRng) -> Response {
    let (title, text) = match action {
        Action::Resume => (
            "Resumed",
            "The workflow continues. You can close this window.",
        ),
        Action::Cancel => ("Cancelled", "The run has ended. You can close this window."),
    };
    HtmlPage::message(StatusCode::OK, title, text).respond(rng)
}

pub(super) fn failed(error: ApiError, rng: &mut impl CryptoRng) -> Response {
    if error.status() == StatusCode::NOT_FOUND {
        let text = "It was resumed or cancelled before, its time is up, or the link is incomplete. Nothing was changed.";
        return HtmlPage::message(StatusCode::NOT_FOUND, "No run waits here", text).respond(rng);
    }
    error.into_page("That did not work", rng)
}

fn state(wait: &RunWait) -> String {
    let state = match wait.pause {
        Some(PauseKind::Suspend) => "A run of this workflow waits for an answer",
        Some(PauseKind::Delay) => "A run of this workflow is delayed",
        Some(PauseKind::Rerun) => "A run of this workflow waits to run a step again",
        Some(PauseKind::Retry) => "A run of this workflow waits to retry a step that failed",
        None => "A run of this workflow waits",
    };
    let mut text = state.to_owned();
    if let Some(step) = &wait.step {
        let _ = write!(text, ", at the step <code>{}</code>", Escaped(step));
    }
    if let Some(due) = wait.due_at.and_then(date) {
        let _ = write!(text, ", until {due}");
    }
    text + "."
}

/// In UTC, because the server does not know where the reader is.
fn date(epoch_ms: i64) -> Option<String> {
    let instant = jiff::Timestamp::from_millisecond(epoch_ms).ok()?;
    Some(instant.strftime("%-d %B %Y, %H:%M UTC").to_string())
}

fn consequences(pause: Option<PauseKind>) -> &'static str {
    match pause {
        Some(PauseKind::Suspend) => {
            "“Resume” continues with the next step. “Cancel run” ends the run, and so does the end of its time."
        }
        Some(PauseKind::Delay) | None => {
            "“Resume” continues with the next step now. “Cancel run” ends the run."
        }
        Some(PauseKind::Rerun | PauseKind::Retry) => {
            "“Resume” runs the step again now. “Cancel run” ends the run."
        }
    }
}

/// The data of the link, which the workflow gets: it tells links to the same run apart.
fn data(query: &str) -> String {
    let mut pairs = String::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let (name, value) = (Escaped(&name), Escaped(&value));
        let _ = writeln!(pairs, "<dt>{name}</dt><dd>{value}</dd>");
    }
    if pairs.is_empty() {
        return pairs;
    }
    format!("<p>This link answers with:</p>\n<dl>\n{pairs}</dl>\n")
}

fn button(action: Action, key: &str, query: &str, class: &str) -> String {
    let (name, label) = (action.name(), action.label());
    let separator = if query.is_empty() { "" } else { "?" };
    format!(
        "<form method=\"post\" action=\"/workflows/{name}/{key}{separator}{}\">\
         <button class=\"{name}{class}\">{label}</button></form>\n",
        Escaped(query)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_button_carries_the_query_of_the_link() {
        let form = button(Action::Cancel, "k1", "a=1&b=%22<", " primary");
        assert_eq!(
            form,
            "<form method=\"post\" action=\"/workflows/cancel/k1?a=1&amp;b=%22&lt;\">\
             <button class=\"cancel primary\">Cancel run</button></form>\n"
        );
        let form = button(Action::Resume, "k1", "", "");
        assert!(form.contains("action=\"/workflows/resume/k1\""), "{form}");
    }

    #[test]
    fn the_data_of_a_link_is_shown_as_text() {
        assert_eq!(data(""), "");
        let shown = data("who=Ada+L&x=%3Cb%3E");
        assert!(shown.contains("<dt>who</dt><dd>Ada L</dd>"), "{shown}");
        assert!(shown.contains("<dd>&lt;b&gt;</dd>"), "{shown}");
    }
}
