//! The message that makes a process load a component.

use std::{collections::BTreeMap, path::Path};

use serde::Serialize;
use serde_json::value::RawValue;
use sluice_model::SourceId;

use crate::{
    ask,
    limits::Limits,
    spec::{ProcessSpec, PropBinding},
};

#[derive(Serialize)]
struct LoadMessage<'a> {
    t: &'static str,
    file: String,
    /// Where its packages are, when it has any.
    modules: Option<&'a Path>,
    source: Option<&'a SourceId>,
    props: &'a [PropBinding],
    /// The texts as they were stored: they may nest deeper than we would read.
    db: BTreeMap<&'a str, &'a RawValue>,
    limits: HarnessLimits,
}

/// In bytes.
#[derive(Serialize)]
struct HarnessLimits {
    emit: usize,
    emits: usize,
    log: usize,
    /// All that the key-value store holds.
    db: usize,
    /// One value of a data store.
    value: usize,
    /// A number: questions that may wait for their answers at once.
    asks: usize,
}

/// The line that makes a process load a component.
pub(crate) fn load_line(
    spec: &ProcessSpec,
    file: &Path,
    modules: Option<&Path>,
    limits: &Limits,
) -> String {
    let Limits {
        emit_bytes,
        emits_bytes,
        log_bytes,
        db_bytes,
        data_store_value_bytes,
        ..
    } = *limits;
    let db = spec
        .stored
        .iter()
        .map(|(key, value)| (key.as_str(), &**value))
        .collect();
    let message = LoadMessage {
        t: "load",
        file: format!("file://{}", file.display()),
        modules,
        source: spec.source.as_ref(),
        props: &spec.props,
        db,
        limits: HarnessLimits {
            emit: emit_bytes,
            emits: emits_bytes,
            log: log_bytes,
            db: db_bytes,
            value: data_store_value_bytes,
            asks: ask::MOST_AT_ONCE,
        },
    };
    let mut line = serde_json::to_string(&message).unwrap_or_default();
    line.push('\n');
    line
}

/// The line that makes a process import packages ahead, by a file that names them.
pub(crate) fn prime_line(file: &Path, modules: &Path) -> String {
    let message = serde_json::json!({
        "t": "prime",
        "file": format!("file://{}", file.display()),
        "modules": modules,
    });
    format!("{message}\n")
}
