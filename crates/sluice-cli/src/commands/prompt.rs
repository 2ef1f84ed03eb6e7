//! Interactive prompts with help, defaults and validation.
//!
//! They run on a thread of their own, so that connections stay alive while the user types.

use std::{fmt, sync::Arc};

use inquire::{
    Confirm, InquireError, MultiSelect, Password, PasswordDisplayMode, Select, Text,
    error::InquireResult, validator::Validation,
};

use crate::exit::Interrupted;

const ROWS: usize = 10;

#[derive(Debug, Clone, Default)]
pub(crate) struct Question {
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    /// The value of an empty answer.
    pub(crate) default: Option<String>,
}

/// Validates an answer. Returns the error message, if any.
pub(crate) type Check = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Rejects an empty answer.
pub(crate) fn required() -> Check {
    Arc::new(|answer| answer.trim().is_empty().then(|| "is required".to_owned()))
}

/// One choice of a list.
#[derive(Debug, Clone)]
pub(crate) struct Row<T> {
    pub(crate) label: String,
    pub(crate) value: T,
    /// Whether it is shown for every search text.
    pub(crate) is_fixed: bool,
}

impl<T> Row<T> {
    pub(crate) fn new(label: impl Into<String>, value: T) -> Row<T> {
        Row {
            label: label.into(),
            value,
            is_fixed: false,
        }
    }

    pub(crate) fn fixed(label: impl Into<String>, value: T) -> Row<T> {
        Row {
            is_fixed: true,
            ..Row::new(label, value)
        }
    }
}

impl<T> fmt::Display for Row<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label)
    }
}

pub(crate) async fn text(question: Question, check: Check) -> anyhow::Result<String> {
    on_own_thread(move || {
        let mut prompt = Text::new(&question.message).with_validator(validator(check));
        prompt.help_message = question.help.as_deref();
        prompt.default = question.default.as_deref();
        prompt.prompt()
    })
    .await
}

/// A text prompt that shows neither the text nor its length.
pub(crate) async fn hidden(question: Question, check: Check) -> anyhow::Result<String> {
    on_own_thread(move || {
        let mut prompt = Password::new(&question.message)
            .without_confirmation()
            .with_display_mode(PasswordDisplayMode::Hidden)
            .with_validator(validator(check));
        prompt.help_message = question.help.as_deref();
        prompt.prompt()
    })
    .await
}

pub(crate) async fn yes_or_no(question: Question, default: Option<bool>) -> anyhow::Result<bool> {
    on_own_thread(move || {
        let mut prompt = Confirm::new(&question.message);
        prompt.help_message = question.help.as_deref();
        prompt.default = default;
        prompt.prompt()
    })
    .await
}

/// Lets the user pick one row. The cursor starts at row `at`.
pub(crate) async fn pick<T: Send + 'static>(
    question: Question,
    rows: Vec<Row<T>>,
    at: usize,
) -> anyhow::Result<T> {
    on_own_thread(move || {
        let mut prompt = Select::new(&question.message, rows)
            .with_page_size(ROWS)
            .with_starting_cursor(at)
            .with_scorer(&score);
        if question.help.is_some() {
            prompt.help_message = question.help.as_deref();
        }
        prompt.prompt().map(|row| row.value)
    })
    .await
}

/// Lets the user pick any number of rows. The rows in `chosen` are preselected.
pub(crate) async fn pick_many<T: Send + 'static>(
    question: Question,
    rows: Vec<Row<T>>,
    chosen: Vec<usize>,
) -> anyhow::Result<Vec<T>> {
    on_own_thread(move || {
        let mut prompt = MultiSelect::new(&question.message, rows)
            .with_page_size(ROWS)
            .with_default(&chosen)
            .with_scorer(&score);
        if question.help.is_some() {
            prompt.help_message = question.help.as_deref();
        }
        let rows = prompt.prompt()?;
        Ok(rows.into_iter().map(|row| row.value).collect())
    })
    .await
}

async fn on_own_thread<T: Send + 'static>(
    ask: impl FnOnce() -> InquireResult<T> + Send + 'static,
) -> anyhow::Result<T> {
    answer(tokio::task::spawn_blocking(ask).await?)
}

/// Leaving a prompt interrupts the command.
pub(crate) fn answer<T>(answer: InquireResult<T>) -> anyhow::Result<T> {
    answer.map_err(|error| match error {
        InquireError::OperationInterrupted | InquireError::OperationCanceled => Interrupted.into(),
        error => error.into(),
    })
}

fn validator(
    check: Check,
) -> impl Fn(&str) -> Result<Validation, inquire::CustomUserError> + Clone + 'static {
    move |answer| {
        Ok(match check(answer) {
            Some(error) => Validation::Invalid(error.into()),
            None => Validation::Valid,
        })
    }
}

/// Keeps the order of rows. Fixed rows that do not match are shown last.
fn score<T>(search: &str, row: &Row<T>, label: &str, index: usize) -> Option<i64> {
    const LAST: i64 = -1_000_000;
    let position = -i64::try_from(index).unwrap_or_default();
    if label.to_lowercase().contains(&search.to_lowercase()) {
        Some(position)
    } else {
        row.is_fixed.then_some(LAST + position)
    }
}
