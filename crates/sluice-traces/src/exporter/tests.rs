//! Collectors that do not take spans.

use std::{sync::Arc, time::Duration};

use sluice_model::{ManualClock, TraceContext};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::Instant,
};

use super::*;
use crate::{Origin, Sampling, SpanKind, Traces, TracesOptions};

fn traces(address: &str) -> (Traces, SpanMetrics) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let metrics = SpanMetrics::default();
    let traces = Traces::start(TracesOptions {
        collector: Collector::parse(address, "").unwrap(),
        resource: Resource {
            service: "test".to_owned(),
            version: "0.0.0".to_owned(),
            instance: "node".to_owned(),
        },
        sampling: Sampling::ratio(1.0).unwrap(),
        client_traces: 2,
        clock: Arc::new(ManualClock::new(1_000)),
        metrics: metrics.clone(),
        random: Box::new(|| 7),
    });
    (traces.unwrap(), metrics)
}

fn span() -> Span {
    let context = TraceContext::root(1, 2, true);
    Span::new(
        &context,
        None,
        "test",
        SpanKind::Internal,
        1,
        Duration::ZERO,
    )
}

/// A collector that answers its requests with these statuses, and then never.
async fn collector(statuses: Vec<u16>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        for status in statuses {
            let (stream, _) = listener.accept().await.unwrap();
            answer(stream, status).await;
        }
        let mut held = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            held.push(stream);
        }
    });
    url
}

/// Answers one request. The client closes the connection.
async fn answer(mut stream: TcpStream, status: u16) {
    let _ = stream.read(&mut [0; 4_096]).await;
    let head = format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    let _ = stream.write_all(head.as_bytes()).await;
    let _ = stream.read_to_end(&mut Vec::new()).await;
}

#[tokio::test]
async fn a_collector_that_hangs_costs_bounded_memory_and_no_time() {
    let (traces, metrics) = traces(&collector(vec![]).await);
    let started = Instant::now();
    for _ in 0..20_000 {
        traces.record(span());
        if metrics.dropped.get() == 0 {
            tokio::task::yield_now().await;
        }
    }
    assert!(metrics.dropped.get() > 10_000, "{}", metrics.dropped.get());
    assert!(started.elapsed() < Duration::from_secs(2));
    traces.stop().await;
    assert!(started.elapsed() < LAST_PATIENCE + Duration::from_secs(3));
    assert_eq!(metrics.exported.get(), 0);
}

#[tokio::test]
async fn spans_that_a_collector_rejects_are_counted() {
    let (traces, metrics) = traces(&collector(vec![400]).await);
    for _ in 0..3 {
        traces.record(span());
    }
    traces.stop().await;
    assert_eq!((metrics.dropped.get(), metrics.exported.get()), (3, 0));
    traces.record(span());
    assert_eq!(metrics.dropped.get(), 4, "it has stopped");
}

#[tokio::test]
async fn what_was_recorded_is_sent_when_the_server_stops() {
    let (traces, metrics) = traces(&collector(vec![200]).await);
    for _ in 0..3 {
        traces.record(span());
    }
    traces.stop().await;
    assert_eq!((metrics.dropped.get(), metrics.exported.get()), (0, 3));
}

#[tokio::test]
async fn a_collector_that_is_away_for_a_moment_gets_the_spans_later() {
    let (traces, metrics) = traces(&collector(vec![503, 200]).await);
    traces.record(span());
    traces.stop().await;
    assert_eq!((metrics.dropped.get(), metrics.exported.get()), (0, 1));
}

#[tokio::test]
async fn traces_of_clients_beyond_the_limit_go_on_and_are_not_recorded() {
    let (traces, _) = traces(&collector(vec![]).await);
    let client = TraceContext::root(1, 2, true);
    let public = |_| traces.begin(Origin::Public, Some(&client));
    let begun: Vec<_> = (0..3).map(public).collect();
    let records = |context: &Option<TraceContext>| traces.records(context.as_ref().unwrap());
    assert!(records(&begun[0]) && records(&begun[1]) && !records(&begun[2]));
    assert_eq!(begun[2], Some(client.not_sampled()));
    // Those that the client does not want to be recorded, and those that begin here, do not count.
    let unsampled = client.not_sampled();
    assert_eq!(
        traces.begin(Origin::Public, Some(&unsampled)),
        Some(unsampled)
    );
    // Strangers do not take it from API clients.
    assert!(records(&traces.begin(Origin::Api, Some(&client))));
    assert!(
        traces
            .begin_here()
            .is_some_and(|context| traces.records(&context))
    );
    traces.stop().await;
}
