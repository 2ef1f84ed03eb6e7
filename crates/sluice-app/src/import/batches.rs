//! Reading components concurrently, in batches.

use std::thread;

use futures_util::{Stream, StreamExt as _, stream};
use sluice_code::Files;
use tokio::sync::mpsc;

use super::{file_cache::FileCache, linking::link_component, tree::LinkedComponent};

/// The largest batch. Each is one transaction, and a step of the progress.
const MAX_COMPONENTS: usize = 100;
/// From this size a batch ends with its app: the components of one app are inspected together.
const TARGET_COMPONENTS: usize = 50;
/// The largest code of a batch, so that it fits in memory. Files that components share count for each.
const MAX_BYTES: usize = 32 << 20;

/// Reads the components at these paths, in order.
pub(super) fn read_in_batches(
    files: impl Files + Clone,
    paths: Vec<String>,
) -> impl Stream<Item = Vec<LinkedComponent>> + Unpin {
    let (sender, mut receiver) = mpsc::channel(1);
    let concurrency = 2 * thread::available_parallelism().map_or(1, usize::from);
    tokio::spawn(async move {
        let cache = FileCache::default();
        let linking = paths
            .into_iter()
            .map(move |path| link_component(files.clone(), cache.clone(), path));
        let mut linked = stream::iter(linking).buffered(concurrency);
        let mut batch = Batch::default();
        while let Some(component) = linked.next().await {
            let bytes = size(&component);
            if batch.ends_before(&component.path, bytes)
                && sender
                    .send(std::mem::take(&mut batch).components)
                    .await
                    .is_err()
            {
                return;
            }
            batch.add(component, bytes);
        }
        if !batch.components.is_empty() {
            // The receiver is gone if the import has failed.
            let _ = sender.send(batch.components).await;
        }
    });
    stream::poll_fn(move |context| receiver.poll_recv(context))
}

#[derive(Default)]
struct Batch {
    components: Vec<LinkedComponent>,
    bytes: usize,
}

impl Batch {
    fn ends_before(&self, path: &str, bytes: usize) -> bool {
        let Some(last) = self.components.last() else {
            return false;
        };
        let is_other_app = app_of(&last.path) != app_of(path);
        self.components.len() >= MAX_COMPONENTS
            || self.bytes + bytes > MAX_BYTES
            || (self.components.len() >= TARGET_COMPONENTS && is_other_app)
    }

    fn add(&mut self, component: LinkedComponent, bytes: usize) {
        self.components.push(component);
        self.bytes += bytes;
    }
}

fn size(component: &LinkedComponent) -> usize {
    let code = component.code.as_ref();
    code.map_or(0, |code| code.texts().map(str::len).sum())
}

fn app_of(path: &str) -> &str {
    path.split('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn component(app: usize, number: usize) -> LinkedComponent {
        let path = format!("app{app}/sources/{number}.mjs");
        LinkedComponent::new(path, BTreeMap::new(), Err(Vec::new()))
    }

    /// The sizes of the batches.
    fn batch_sizes(components: impl Iterator<Item = (LinkedComponent, usize)>) -> Vec<usize> {
        let mut batch = Batch::default();
        let mut sizes = Vec::new();
        for (component, bytes) in components {
            if batch.ends_before(&component.path, bytes) {
                sizes.push(std::mem::take(&mut batch).components.len());
            }
            batch.add(component, bytes);
        }
        sizes.push(batch.components.len());
        sizes
    }

    #[test]
    fn batches_end_with_an_app_if_possible() {
        assert_eq!(
            batch_sizes((0..130).map(|n| (component(n / 30, n), 1))),
            [60, 60, 10]
        );
        assert_eq!(
            batch_sizes((0..230).map(|n| (component(0, n), 1))),
            [100, 100, 30]
        );
        assert_eq!(
            batch_sizes((0..5).map(|n| (component(0, n), MAX_BYTES / 2))),
            [2, 2, 1]
        );
    }
}
