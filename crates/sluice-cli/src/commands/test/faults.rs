//! Why code does not load, for whoever wrote it.

use anyhow::bail;
use sluice_code::CodeError;
use sluice_runtime::LoadError;

use crate::commands::places::in_file;

/// Each fault with its place in `file`; what is not the author's fault is an error.
pub(super) fn told(file: &str, error: LoadError) -> anyhow::Result<Vec<String>> {
    let LoadError::Code(faults) = error else {
        bail!(error);
    };
    Ok(faults.iter().map(|fault| placed(file, fault)).collect())
}

fn placed(file: &str, fault: &CodeError) -> String {
    match (fault.line, fault.column) {
        (Some(line), Some(column)) => format!("{file}:{line}:{column}: {}", fault.message),
        _ if has_place(&fault.message) => in_file(file, &fault.message),
        _ => format!("{file}: {}", fault.message),
    }
}

/// `lib/a.mjs:3:5: …` names another file.
fn has_place(message: &str) -> bool {
    let mut parts = message.splitn(4, ':').skip(1);
    let mut is_number = || parts.next().is_some_and(|part| part.parse::<u32>().is_ok());
    is_number() && is_number()
}
