//! The questions of forms, with help, defaults and checks of what is answered. `ask` has the simple ones.
//!
//! They are asked on a thread of their own, so that connections stay alive while somebody thinks.

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
    /// What an empty answer means.
    pub(crate) default: Option<String>,
}

/// What is wrong with an answer, if anything.
pub(crate) type Check = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// An answer that must not be empty.
pub(crate) fn required() -> Check {
    Arc::new(|answer| answer.trim().is_empty().then(|| "is required".to_owned()))
}

/// Something to pick.
#[derive(Debug, Clone)]
pub(crate) struct Row<T> {
    pub(crate) label: String,
    pub(crate) value: T,
    /// Whether it stays there whatever somebody looks for.
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
    answered(move || {
        let mut prompt = Text::new(&question.message).with_validator(validator(check));
        prompt.help_message = question.help.as_deref();
        prompt.default = question.default.as_deref();
        prompt.prompt()
    })
    .await
}

/// What is typed is not shown, nor how long it is.
pub(crate) async fn hidden(question: Question, check: Check) -> anyhow::Result<String> {
    answered(move || {
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
    answered(move || {
        let mut prompt = Confirm::new(&question.message);
        prompt.help_message = question.help.as_deref();
        prompt.default = default;
        prompt.prompt()
    })
    .await
}

/// One of the rows, beginning at the row `at`.
pub(crate) async fn pick<T: Send + 'static>(
    question: Question,
    rows: Vec<Row<T>>,
    at: usize,
) -> anyhow::Result<T> {
    answered(move || {
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

/// Any of the rows; those with the numbers in `chosen` are at first.
pub(crate) async fn pick_many<T: Send + 'static>(
    question: Question,
    rows: Vec<Row<T>>,
    chosen: Vec<usize>,
) -> anyhow::Result<Vec<T>> {
    answered(move || {
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

async fn answered<T: Send + 'static>(
    ask: impl FnOnce() -> InquireResult<T> + Send + 'static,
) -> anyhow::Result<T> {
    answer(tokio::task::spawn_blocking(ask).await?)
}

/// Whoever leaves a question wants no more of all of it.
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
            Some(fault) => Validation::Invalid(fault.into()),
            None => Validation::Valid,
        })
    }
}

/// Rows keep their order, and fixed ones that are not looked for stand below.
fn score<T>(looked_for: &str, row: &Row<T>, label: &str, index: usize) -> Option<i64> {
    const BELOW: i64 = -1_000_000;
    let place = -i64::try_from(index).unwrap_or_default();
    if label.to_lowercase().contains(&looked_for.to_lowercase()) {
        Some(place)
    } else {
        row.is_fixed.then_some(BELOW + place)
    }
}
