//! Readers of streams across takeovers: no event is missing, and none comes twice.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use sluice_testkit::wait_for;
use tokio::{task::JoinSet, time::sleep};

use super::{
    fault::{Fault, takeovers},
    load::{Finished, Load},
    scale::by_scale,
    stage::Stage,
};
use crate::{
    streams::reader::{Reader, ask},
    support::{Deployed, PATIENCE},
};

const FAULTS: [Fault; 2] = [Fault::Kill, Fault::Partition];
const PAUSE: Duration = Duration::from_millis(50);

fn reader_count() -> usize {
    by_scale(12, 100)
}

fn takeover_count() -> usize {
    by_scale(2, 50)
}

/// A reader of one source, and the ids that it has seen.
struct Follower {
    source: String,
    seen: Arc<Mutex<Vec<String>>>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_of_streams_miss_nothing_and_see_nothing_twice_across_takeovers() {
    let mut stage = Stage::start().await;
    let load = Load::start(&stage).await;
    let mut tasks = JoinSet::new();
    let followers: Vec<_> = (0..reader_count())
        .map(|number| {
            let source = &load.sources[number % load.sources.len()];
            start(&mut tasks, &stage, source, number)
        })
        .collect();
    let mut incidents = Vec::new();
    for (turn, fault) in FAULTS.iter().cycle().take(takeover_count()).enumerate() {
        sleep(Duration::from_secs(1)).await;
        let node = stage.victim(turn).await;
        incidents.push(stage.suffer(*fault, node).await);
    }
    let Finished {
        sources,
        mut report,
    } = load
        .finish(&stage, "takeover with readers", incidents.len())
        .await;
    for follower in &followers {
        follower.saw_everything(&stage).await;
    }
    report.takeovers = takeovers(&stage.ledger, &sources, &incidents);
    report.conclude();
}

/// Starts a reader that changes the node whenever its stream breaks.
fn start(tasks: &mut JoinSet<()>, stage: &Stage, source: &Deployed, number: usize) -> Follower {
    let path = source.path("/sse");
    let nodes = stage.cluster.nodes().iter();
    let mut urls: Vec<_> = nodes
        .map(|node| format!("{}/v1{path}", node.url()))
        .collect();
    let nodes = urls.len();
    urls.rotate_left(number % nodes);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let key = stage.cluster.api_key().to_owned();
    tasks.spawn(follow(urls, key, Arc::clone(&seen)));
    Follower {
        source: source.id.clone(),
        seen,
    }
}

async fn follow(urls: Vec<String>, key: String, seen: Arc<Mutex<Vec<String>>>) {
    for url in urls.iter().cycle() {
        let last = seen.lock().last().cloned();
        let last = last.unwrap_or_else(|| "0-0".to_owned());
        if let Ok(response) = ask(url, &key, Some(&last)).await
            && response.status() == 200
        {
            let mut reader = Reader::of(response);
            while let Some(message) = reader.try_next().await {
                seen.lock().push(message.id);
            }
        }
        sleep(PAUSE).await;
    }
}

impl Follower {
    async fn saw_everything(&self, stage: &Stage) {
        let events = stage.ledger.events(&self.source);
        let ids: Vec<_> = events
            .iter()
            .map(|event| format!("{}-{}", event.id.0, event.id.1))
            .collect();
        wait_for(PATIENCE, "the last event of a stream", async || {
            self.seen.lock().contains(ids.last()?).then_some(())
        })
        .await;
        let seen = self.seen.lock().clone();
        let first_other = ids.iter().zip(&seen).position(|(id, seen)| id != seen);
        assert_eq!(first_other, None, "a gap or a repeat");
        assert_eq!(seen.len(), ids.len(), "a gap or a repeat at the end");
    }
}
