//! Large events pass whole, live and from history.

use serde_json::json;
use sluice_testkit::Server;

use super::{EMITTER, reader::Reader};
use crate::support::{deploy, own_server};

#[tokio::test]
async fn events_of_any_size_pass_in_their_order() {
    const SIZES: [usize; 6] = [10, 20_000, 1_500_000, 30, 400_000, 16_000];
    let server = Server::start(own_server().arg("--max-emit").arg("2MiB")).await;
    let source = deploy(&server.api(), EMITTER).await;
    let path = format!("/sources/{}/sse", source.id);
    let mut live = Reader::open(server.url(), &source.api, &path, None).await;
    for size in SIZES {
        source.run(json!({ "times": 1, "padding": size })).await;
        let event = live.next().await;
        assert_eq!(event.event()["padding"].as_str().map(str::len), Some(size));
    }
    let mut whole = Reader::open(server.url(), &source.api, &path, Some("0-0")).await;
    for size in SIZES {
        let event = whole.next().await;
        assert_eq!(event.event()["padding"].as_str().map(str::len), Some(size));
    }
}
