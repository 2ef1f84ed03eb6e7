//! Importing trees of components into the registry.

mod progress;
mod upload;

use std::sync::Arc;

use axum::{
    body::Body,
    extract::State,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, header::CONTENT_TYPE};
use sluice_api::{Data, FieldQuery, Import, ImportMode, ImportProgress, ImportQuery, UndoneImport};
use sluice_app::{App, ImportRequest, Undone};
use sluice_infra::Infra;
use sluice_store::imports::ImportSummary;
use tokio::sync::mpsc;

use self::progress::ImportStream;
use super::dates::epoch_seconds;
use crate::{
    actor::OperatorAuthor, auth::Operator, error::ApiError, fields::FieldSelection,
    openapi::ApiErrors, path::ImportPath, query::Query, reply,
};

/// The longest name of a tree. With a path it is a key of the database.
const MAX_NAME: usize = 1000;
/// The progress that waits for a slow client. Then the import waits.
const WAITING_STEPS: usize = 16;

/// Import a tree of components into the registry
///
/// The body is a tar archive, compressed with gzip or not. It contains app folders with `sources` and `actions`, or a folder
/// `components` with them. The response is a stream of JSON lines with the progress; empty lines are heartbeats. Each component is
/// inspected without installing its packages, and registered with its app if it is valid. If the client disconnects, the
/// import stops. For the operator only. For other users this path does not exist.
#[utoipa::path(post, path = "/components/registry/imports", tag = "components", operation_id = "importComponents",
    params(ImportQuery),
    request_body(content_type = "application/x-tar", content = Vec<u8>, description = "The archive"),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200,
    description = "The progress, a JSON object on each line", content_type = "application/x-ndjson",
    body = ImportProgress), ApiErrors))]
pub(crate) async fn import(
    OperatorAuthor(actor): OperatorAuthor,
    State(app): State<Arc<App>>,
    State(infra): State<Infra>,
    Query(query): Query<ImportQuery>,
    body: Body,
) -> Result<Response, ApiError> {
    let request = request(query)?;
    let tree = app
        .imports
        .unpack(upload::reader(body), request.apps.clone())
        .await?;
    let (sender, progress) = mpsc::channel(WAITING_STEPS);
    let run = async move { app.imports.run(&actor, request, tree, sender).await };
    let stream = ImportStream::new(run, progress, infra.shutdown.clone());
    let content_type = HeaderValue::from_static("application/x-ndjson");
    Ok(([(CONTENT_TYPE, content_type)], stream.into_body()).into_response())
}

/// The imports that can be undone
///
/// The last one of each tree, newest first. For the operator only. For other users this path does not exist.
#[utoipa::path(get, path = "/components/registry/imports", tag = "components", operation_id = "listImports",
    params(FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The imports", body = Data<Vec<Import>>), ApiErrors))]
pub(crate) async fn list(
    _: Operator,
    State(app): State<Arc<App>>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let imports = app.imports.list().await?;
    let imports: Vec<Import> = imports.into_iter().map(import_on_the_wire).collect();
    Ok(reply::all(&imports, &FieldSelection::new(&fields)))
}

/// Undo an import
///
/// Versions that the import added are removed from the registry, and versions that it replaced or removed are restored.
/// Sources and workflows that use its components keep running. Apps stay. For the operator only. For other users this path does
/// not exist.
#[utoipa::path(delete, path = "/components/registry/imports/{id}", tag = "components", operation_id = "undoImport",
    params(("id" = String, Path, description = "The id of the import"), FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The numbers of versions that changed", body = Data<UndoneImport>), ApiErrors))]
pub(crate) async fn undo(
    OperatorAuthor(actor): OperatorAuthor,
    State(app): State<Arc<App>>,
    ImportPath(id): ImportPath,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let Undone {
        removed,
        restored,
        kept,
    } = app.imports.undo(&actor, id).await?;
    let undone = UndoneImport {
        removed,
        restored,
        kept,
    };
    Ok(reply::one(undone, &FieldSelection::new(&fields)))
}

fn request(query: ImportQuery) -> Result<ImportRequest, ApiError> {
    let ImportQuery {
        tree,
        apps,
        mode,
        prune,
    } = query;
    let tree = tree.filter(|tree| !tree.is_empty());
    let tree = tree.ok_or_else(|| ApiError::bad_request("tree is required"))?;
    if tree.len() > MAX_NAME {
        return Err(ApiError::BadRequest(format!(
            "tree must be at most {MAX_NAME} bytes long"
        )));
    }
    let apps = apps.unwrap_or_default();
    let apps = apps.split(',').map(str::trim).filter(|app| !app.is_empty());
    Ok(ImportRequest {
        tree,
        apps: apps.map(str::to_owned).collect(),
        mode: match mode.unwrap_or(ImportMode::Import) {
            ImportMode::Import => sluice_app::ImportMode::Import {
                prune: prune.unwrap_or_default(),
            },
            ImportMode::Check => sluice_app::ImportMode::Check { load: false },
            ImportMode::Load => sluice_app::ImportMode::Check { load: true },
        },
    })
}

fn import_on_the_wire(summary: ImportSummary) -> Import {
    let ImportSummary {
        import,
        added,
        replaced,
        removed,
    } = summary;
    Import {
        id: import.id.to_string(),
        tree: import.tree,
        user_id: import.user_id.to_string(),
        created_at: epoch_seconds(import.created_at),
        added,
        replaced,
        removed,
    }
}
