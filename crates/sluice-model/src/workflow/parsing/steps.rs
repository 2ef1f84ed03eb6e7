//! Parses the steps of a workflow.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{
    fields::{Field, Fields, optional},
    settings::{retry, timeout},
    values,
};
use crate::workflow::{
    document::{Step, StepCode},
    error::ParseResult,
    names::is_name,
};

const FIELDS: [&str; 7] = [
    "name",
    "code",
    "file",
    "action",
    "props",
    "timeout_seconds",
    "retry",
];
/// Steps are files in the sandbox, and file names are limited.
const MAX_NAME: usize = 64;
/// Reserved, because `steps.trigger` is the trigger event.
const TRIGGER: &str = "trigger";

pub(super) fn read(list: &Field<'_>) -> ParseResult<Vec<Step>> {
    let items = list.list()?;
    if items.is_empty() {
        return Err(list.error("must have at least one step"));
    }
    let mut lines = HashMap::new();
    let read: Vec<_> = items.iter().map(|item| step(item, &mut lines)).collect();
    read.into_iter().collect()
}

/// `lines` has the names of the previous steps with their lines.
fn step<'a>(item: &Field<'a>, lines: &mut HashMap<&'a str, u32>) -> ParseResult<Step> {
    let fields = item.fields("a step", &FIELDS)?;
    let name = fields.required("name").and_then(|name| {
        let text = step_name(&name)?;
        match lines.insert(text, name.node.position.line) {
            None => Ok(text),
            Some(line) => Err(name.error(format!("is the name of the step on line {line} too"))),
        }
    });
    let code = code(item, &fields);
    let props = optional(fields.get_filled("props"), props);
    let timeout_seconds = optional(fields.get("timeout_seconds"), timeout);
    let retry = optional(fields.get("retry"), retry);
    Ok(Step {
        name: name?.to_owned(),
        code: code?,
        props: props?.unwrap_or_default(),
        timeout_seconds: timeout_seconds?,
        retry: retry?,
    })
}

fn step_name<'a>(field: &Field<'a>) -> ParseResult<&'a str> {
    let name = field.words()?;
    if name == TRIGGER {
        let message = "must not be `trigger`, which is what started the run";
        return Err(field.error(message));
    }
    if !is_name(name) {
        let message = "must be letters, digits and _, and not begin with a digit";
        return Err(field.error(message));
    }
    if name.len() > MAX_NAME {
        let message = format!("must not be longer than {MAX_NAME} characters");
        return Err(field.error(message));
    }
    Ok(name)
}

fn code(item: &Field<'_>, fields: &Fields<'_>) -> ParseResult<StepCode> {
    let given = ["code", "file", "action"].map(|key| fields.get(key));
    match given {
        [Some(code), None, None] => code.words().map(|code| StepCode::Inline(code.to_owned())),
        [None, Some(file), None] => {
            let path = relative_path(file.words()?);
            path.map(StepCode::File).map_err(|error| file.error(error))
        }
        [None, None, Some(action)] => {
            let action = action.words()?;
            Ok(StepCode::Action(action.trim().to_owned()))
        }
        [None, None, None] => Err(item.error("needs one of `code`, `file` and `action`")),
        several => {
            let second = several.into_iter().flatten().nth(1);
            let second = second.unwrap_or(item.clone());
            Err(second.error("a step has only one of `code`, `file` and `action`"))
        }
    }
}

/// A path from the folder of the document, without `.` and `..`, so that one file has one name.
fn relative_path(path: &str) -> Result<String, &'static str> {
    if path.contains("://") {
        return Err("must be a path to a file beside the document, not an address");
    }
    if path.contains('\\') {
        return Err("must have / between its parts, not \\");
    }
    if path.starts_with('/') {
        return Err("must be a path from the folder of the document on, and not begin with /");
    }
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts
                    .pop()
                    .ok_or("must not lead out of the folder of the document")?;
            }
            part => parts.push(part),
        }
    }
    if parts.is_empty() || path.ends_with('/') {
        return Err("must name a file, not a folder");
    }
    Ok(parts.join("/"))
}

fn props(field: &Field<'_>) -> ParseResult<Map<String, Value>> {
    let entries: Vec<_> = field.entries()?.collect();
    let read: Vec<_> = entries
        .iter()
        .map(|(entry, value)| Ok((entry.key.clone(), values::json(value)?)))
        .collect();
    read.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_folder_and_lose_their_dots() {
        for (written, path) in [
            ("forward.mjs", "forward.mjs"),
            ("./forward.mjs", "forward.mjs"),
            ("lib//a/../b.ts", "lib/b.ts"),
            ("a/b/../../c.js", "c.js"),
            ("..hidden/x.js", "..hidden/x.js"),
        ] {
            assert_eq!(relative_path(written).as_deref(), Ok(path), "{written:?}");
        }
        for bad in [
            "/etc/passwd",
            "../x.js",
            "a/../../x.js",
            ".",
            "./",
            "lib/",
            "..",
            "a\\b.js",
            "https://example.com/x.js",
        ] {
            assert!(relative_path(bad).is_err(), "{bad:?}");
        }
    }
}
