//! Liveness, readiness and metrics, for operators.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{CONTENT_TYPE, VARY},
};
use sluice_app::{App, MetricsFormat};
use sluice_infra::Infra;

use crate::accept;

const TEXT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";
const OPEN_METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

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

/// Plain text, or OpenMetrics for clients that prefer it.
pub(crate) async fn metrics(State(app): State<Arc<App>>, headers: HeaderMap) -> Response {
    let (format, content_type) = if accept::prefers_open_metrics(&headers) {
        (MetricsFormat::OpenMetrics, OPEN_METRICS_TYPE)
    } else {
        (MetricsFormat::Text, TEXT_TYPE)
    };
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static(content_type)),
        (VARY, HeaderValue::from_static("accept")),
    ];
    (headers, app.server_status.metrics(format)).into_response()
}
