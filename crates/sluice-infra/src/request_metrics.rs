//! Durations of HTTP requests, to the API and to endpoints. Labels are bounded: templates of routes, methods by name, and classes of
//! status codes.

use std::time::Duration;

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, histogram::Histogram},
    registry::Registry,
};

/// Seconds.
const BUCKETS: [f64; 11] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

type Histograms<L> = Family<L, Histogram, fn() -> Histogram>;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StatusLabel {
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    method: &'static str,
    route: String,
    status: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ClassLabel {
    status: &'static str,
}

pub struct RequestMetrics {
    api_requests: Family<StatusLabel, Counter>,
    api_seconds: Histograms<RouteLabels>,
    endpoint_seconds: Histograms<ClassLabel>,
}

impl Default for RequestMetrics {
    fn default() -> RequestMetrics {
        let histogram: fn() -> Histogram = || Histogram::new(BUCKETS);
        RequestMetrics {
            api_requests: Family::default(),
            api_seconds: Family::new_with_constructor(histogram),
            endpoint_seconds: Family::new_with_constructor(histogram),
        }
    }
}

impl RequestMetrics {
    pub(crate) fn register(&self, registry: &mut Registry) {
        registry.register(
            "api_requests",
            "Requests to the API of this server, by status",
            self.api_requests.clone(),
        );
        registry.register(
            "api_request_seconds",
            "Time to the head of the response of API requests to this server, by method, route and class of status",
            self.api_seconds.clone(),
        );
        registry.register(
            "endpoint_request_seconds",
            "Time to the head of the response of requests to endpoints of this server, by class of status",
            self.endpoint_seconds.clone(),
        );
    }

    /// Counts a response of the API. `route` is a template, such as `/v1/sources/{id}`.
    pub fn count_api(&self, method: &str, route: &str, status: u16, duration: Duration) {
        self.api_requests
            .get_or_create(&StatusLabel { status })
            .inc();
        let labels = RouteLabels {
            method: known_method(method),
            route: route.to_owned(),
            status: class(status),
        };
        self.api_seconds
            .get_or_create(&labels)
            .observe(duration.as_secs_f64());
    }

    /// Counts a response of an endpoint.
    pub fn count_endpoint(&self, status: u16, duration: Duration) {
        let label = ClassLabel {
            status: class(status),
        };
        self.endpoint_seconds
            .get_or_create(&label)
            .observe(duration.as_secs_f64());
    }
}

/// Clients may use any word as a method.
fn known_method(method: &str) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    let known = KNOWN.into_iter().find(|known| *known == method);
    known.unwrap_or("other")
}

fn class(status: u16) -> &'static str {
    match status {
        0..200 => "1xx",
        200..300 => "2xx",
        300..400 => "3xx",
        400..500 => "4xx",
        _ => "5xx",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_bounded() {
        assert_eq!(known_method("GET"), "GET");
        assert_eq!(known_method("get"), "other");
        assert_eq!(known_method("X-ANY"), "other");
        let classes = [101, 200, 304, 404, 599, 999].map(class);
        assert_eq!(classes, ["1xx", "2xx", "3xx", "4xx", "5xx", "5xx"]);
    }
}
