//! Whose events a workflow is triggered by.

use sluice_model::{EmitterId, EmitterKind, UserId};
use sluice_store::{
    Conn, StoreError,
    routes::{ALL_SOURCES, ALL_WORKFLOWS, ERROR_CHANNEL, LOG_CHANNEL},
    sources, workflows,
};

const MAX_EVENT_NAME: usize = 500;

/// The id of what a trigger listens to, or the glob; none when the user has no such thing.
pub(super) fn find(
    c: &mut dyn Conn,
    user: &UserId,
    from: &str,
) -> Result<Option<String>, StoreError> {
    if [ALL_SOURCES, ALL_WORKFLOWS].contains(&from) {
        return Ok(Some(from.to_owned()));
    }
    let found: Option<EmitterId> = match EmitterId::parse(from).map(|id| id.kind()) {
        Some(EmitterKind::Source(id)) => sources::get(c, user, &id)?.map(|source| source.id.into()),
        Some(EmitterKind::Workflow(id)) => {
            workflows::get(c, user, &id)?.map(|workflow| workflow.id.into())
        }
        None if from.contains('\0') => None,
        None => match sources::by_slug(c, user, from)? {
            Some(source) => Some(source.id.into()),
            None => workflows::by_slug(c, user, from)?.map(|workflow| workflow.id.into()),
        },
    };
    Ok(found.map(|id| id.as_str().to_owned()))
}

/// What is wrong with the name of a channel. Those that begin with `$` are the system's own.
pub(super) fn channel_fault(event_name: &str) -> Option<String> {
    if event_name.len() > MAX_EVENT_NAME {
        return Some(format!("must not be longer than {MAX_EVENT_NAME} bytes"));
    }
    if event_name.contains('\0') {
        return Some("must not contain NUL characters".to_owned());
    }
    let system = [ERROR_CHANNEL, LOG_CHANNEL];
    (event_name.starts_with('$') && !system.contains(&event_name))
        .then(|| "must be $errors or $logs when it begins with $".to_owned())
}
