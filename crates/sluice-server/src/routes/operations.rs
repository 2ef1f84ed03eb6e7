//! Readiness and metrics, for operators.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, StatusCode, header::CONTENT_TYPE};
use sluice_engine::Engine;

const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(crate) async fn healthz(State(engine): State<Arc<Engine>>) -> (StatusCode, &'static str) {
    if engine.is_ready() {
        (StatusCode::OK, "ok")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "not ready")
    }
}

pub(crate) async fn metrics(State(engine): State<Arc<Engine>>) -> Response {
    let content_type = HeaderValue::from_static(METRICS_TYPE);
    ([(CONTENT_TYPE, content_type)], engine.scrape()).into_response()
}
