//! The versions of a source: list, read and roll back.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use sluice_api::{Data, FieldQuery, RollBackSource, Source, SourceVersion, WholeSourceVersion};
use sluice_app::{App, SourceVersionView, WholeSourceVersionView};

use crate::{
    actor::Author,
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    json_body::JsonBody,
    openapi::ApiErrors,
    path::{SourceNamePath, SourceVersionPath},
    query::Query,
    reply,
    routes::{components::files_on_the_wire, dates::epoch_seconds, sources},
};

/// The versions of a source, newest first
///
/// In one list, without pages: the newest 100 versions are kept. A version is the code and the values of the props, and never
/// changes. Creating a source makes the first one, and each change of code or props makes the next one.
#[utoipa::path(get, path = "/sources/{id}/versions", tag = "sources", operation_id = "listSourceVersions",
    params(("id" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The versions", body = Data<Vec<SourceVersion>>), ApiErrors))]
pub(crate) async fn list(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    SourceNamePath(id): SourceNamePath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let versions = app.sources.versions(&user.id, &id).await?;
    let versions: Vec<_> = versions.into_iter().map(on_the_wire).collect();
    Ok(reply::all(&versions, &FieldSelection::new(&fields)))
}

/// A version of a source, with its code and props
///
/// Secrets are masked. The newest 100 versions are kept.
#[utoipa::path(get, path = "/sources/{id}/versions/{number}", tag = "sources", operation_id = "getSourceVersion",
    params(("id" = String, Path), ("number" = u32, Path, description = "The number of a version"), FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The version", body = Data<WholeSourceVersion>), ApiErrors))]
pub(crate) async fn get(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    SourceVersionPath(id, number): SourceVersionPath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let WholeSourceVersionView {
        outline,
        component,
        configured_props,
    } = app.sources.version(&user.id, &id, number).await?;
    let whole = WholeSourceVersion {
        version: on_the_wire(outline),
        files: files_on_the_wire(&component.code),
        code: component.code.entry.text.to_string(),
        configured_props,
    };
    Ok(reply::one(whole, &FieldSelection::new(&fields)))
}

/// Roll a source back to an earlier version
///
/// The source gets the code and props of that version, as a new version. Its hook `deactivate` runs with the old code and props,
/// then `activate` with the new ones. Accounts that were deleted since then are refused.
#[utoipa::path(post, path = "/sources/{id}/rollback", tag = "sources", operation_id = "rollBackSource",
    params(("id" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))), request_body = RollBackSource,
    responses((status = 200, description = "The source", body = Data<Source>), ApiErrors))]
pub(crate) async fn roll_back(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    SourceNamePath(id): SourceNamePath,
    JsonBody { parameters, fields }: JsonBody<RollBackSource>,
) -> Result<Response, ApiError> {
    let number = parameters
        .version
        .ok_or_else(|| ApiError::bad_request("version is required"))?;
    let view = app.sources.roll_back(&actor, &id, number).await?;
    Ok(sources::answer(view, &fields))
}

fn on_the_wire(SourceVersionView { version, running }: SourceVersionView) -> SourceVersion {
    SourceVersion {
        number: version.number,
        component_id: version.component_id,
        author: version.origin.author,
        credential: version.origin.credential.as_str().to_owned(),
        restored: version.origin.restored,
        created_at: epoch_seconds(version.created_at),
        running,
    }
}
