//! Readiness and metrics, for operators.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, StatusCode, header::CONTENT_TYPE};
use sluice_app::App;
use sluice_infra::Infra;

const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A load balancer sends requests elsewhere while this is not 200.
pub(crate) async fn healthz(
    State(app): State<Arc<App>>,
    State(infra): State<Infra>,
) -> (StatusCode, &'static str) {
    if infra.cluster.is_out_of_service() {
        (StatusCode::SERVICE_UNAVAILABLE, "out of service")
    } else if app.server_status.is_ready() {
        (StatusCode::OK, "ok")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "not ready")
    }
}

pub(crate) async fn metrics(State(app): State<Arc<App>>) -> Response {
    let content_type = HeaderValue::from_static(METRICS_TYPE);
    ([(CONTENT_TYPE, content_type)], app.server_status.metrics()).into_response()
}
