//! The emitters that trigger a workflow.

use sluice_model::{EmitterId, EmitterKind, UserId};
use sluice_store::{
    Conn, StoreError,
    routes::{ALL_SOURCES, ALL_WORKFLOWS},
    sources, workflows,
};

/// The id of the source or workflow that a trigger names, or its glob; none when the user has no such emitter.
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
        None => match sources::by_slug(c, user, from)? {
            Some(source) => Some(source.id.into()),
            None => workflows::by_slug(c, user, from)?.map(|workflow| workflow.id.into()),
        },
    };
    Ok(found.map(|id| id.as_str().to_owned()))
}
