//! Liveness, readiness and metrics, for operators.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, StatusCode, header::CONTENT_TYPE};
use sluice_app::App;
use sluice_infra::Infra;

const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(crate) const LIVENESS_PATH: &str = "/livez";
/// How long the database may take to answer.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(2);

/// The process answers. A supervisor restarts it when this fails.
pub(crate) async fn livez() -> &'static str {
    "ok"
}

/// A load balancer sends requests elsewhere while this is not 200.
pub(crate) async fn readyz(
    State(app): State<Arc<App>>,
    State(infra): State<Infra>,
) -> (StatusCode, &'static str) {
    if infra.cluster.is_out_of_service() {
        (StatusCode::SERVICE_UNAVAILABLE, "out of service")
    } else if !app.server_status.is_ready() {
        (StatusCode::SERVICE_UNAVAILABLE, "not ready")
    } else if !answers(&infra).await {
        (StatusCode::SERVICE_UNAVAILABLE, "database unavailable")
    } else {
        (StatusCode::OK, "ok")
    }
}

async fn answers(infra: &Infra) -> bool {
    let ping = infra.store.read(sluice_store::ping);
    matches!(
        tokio::time::timeout(DATABASE_TIMEOUT, ping).await,
        Ok(Ok(()))
    )
}

pub(crate) async fn metrics(State(app): State<Arc<App>>) -> Response {
    let content_type = HeaderValue::from_static(METRICS_TYPE);
    ([(CONTENT_TYPE, content_type)], app.server_status.metrics()).into_response()
}
