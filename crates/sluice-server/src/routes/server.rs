//! The server: its settings and use of resources, for the operator.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use sluice_api::{Data, Database, FieldQuery, Server, ServerProcess, ServerSetting};
use sluice_app::{App, ProcessView, ServerView};
use sluice_infra::SettingDescription;
use sluice_store::Dialect;

use crate::{
    auth::Operator, error::ApiError, fields::FieldSelection, openapi::ApiErrors, query::Query,
    reply,
};

/// The server, its use of resources and its settings
///
/// For the operator only. For other users this path does not exist.
#[utoipa::path(get, path = "/server", tag = "server", operation_id = "getServer", params(FieldQuery),
    extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The server", body = Data<Server>), ApiErrors))]
pub(crate) async fn get(
    _: Operator,
    State(app): State<Arc<App>>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let server = on_the_wire(app.server_status.view().await?);
    Ok(reply::one(server, &FieldSelection::new(&fields)))
}

fn on_the_wire(view: ServerView) -> Server {
    let ServerView {
        started_at,
        public_url,
        database,
        usage,
        processes,
        settings,
    } = view;
    Server {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at,
        public_url,
        database: match database {
            Dialect::Sqlite => Database::Sqlite,
            Dialect::Postgres => Database::Postgres,
        },
        memory_bytes: usage.memory_bytes,
        storage_bytes: usage.storage_bytes,
        free_bytes: usage.free_bytes,
        processes: processes.into_iter().map(process).collect(),
        settings: settings.into_iter().map(setting).collect(),
    }
}

fn process(view: ProcessView) -> ServerProcess {
    ServerProcess {
        emitter_id: view.emitter_id,
        name: view.name,
        username: view.username,
        memory_bytes: view.memory_bytes,
        started_at: view.started_at,
    }
}

fn setting(setting: SettingDescription) -> ServerSetting {
    ServerSetting {
        name: setting.name,
        value: setting.value,
        help: setting.help,
    }
}
