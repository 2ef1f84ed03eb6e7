//! Bundling components concurrently, in batches for the server.

use std::thread;

use futures_util::{StreamExt as _, stream};
use sluice_api::ImportComponent;
use tokio::sync::mpsc;

use super::{
    bundling::{MAX_BYTES, bundle_component},
    tree::Tree,
};

/// The maximum of the server.
const MAX_COMPONENTS: usize = 100;
/// From this size a batch ends with its app, so that the server can share the analysis of an app's components.
const TARGET_COMPONENTS: usize = 50;

pub(super) type Batch = Vec<ImportComponent>;

/// Bundles the components at these paths, in order.
pub(super) fn bundle_in_batches(tree: &Tree, paths: Vec<String>) -> mpsc::Receiver<Batch> {
    let (sender, receiver) = mpsc::channel(1);
    let concurrency = 2 * thread::available_parallelism().map_or(1, usize::from);
    let files = tree.files.clone();
    tokio::spawn(async move {
        let bundles = paths
            .into_iter()
            .map(move |path| bundle_component(files.clone(), path));
        let mut bundles = stream::iter(bundles).buffered(concurrency);
        let mut batch = BatchBuilder::default();
        while let Some(component) = bundles.next().await {
            if batch.ends_before(&component) && sender.send(batch.take()).await.is_err() {
                return;
            }
            batch.add(component);
        }
        if !batch.components.is_empty() {
            // The receiver is gone if the import has failed.
            let _ = sender.send(batch.take()).await;
        }
    });
    receiver
}

#[derive(Default)]
struct BatchBuilder {
    components: Batch,
    bytes: usize,
}

impl BatchBuilder {
    fn ends_before(&self, next: &ImportComponent) -> bool {
        let Some(last) = self.components.last() else {
            return false;
        };
        let is_other_app = app_of(last) != app_of(next);
        self.components.len() >= MAX_COMPONENTS
            || self.bytes + bytes_of(next) > MAX_BYTES
            || (self.components.len() >= TARGET_COMPONENTS && is_other_app)
    }

    fn add(&mut self, component: ImportComponent) {
        self.bytes += bytes_of(&component);
        self.components.push(component);
    }

    fn take(&mut self) -> Batch {
        std::mem::take(self).components
    }
}

fn app_of(component: &ImportComponent) -> &str {
    component.path.split('/').next().unwrap_or_default()
}

fn bytes_of(component: &ImportComponent) -> usize {
    component.component_code.as_ref().map_or(0, String::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn component(app: usize, bytes: usize) -> ImportComponent {
        ImportComponent {
            path: format!("app{app}/sources/a.mjs"),
            component_code: Some("x".repeat(bytes)),
            ..ImportComponent::default()
        }
    }

    /// The sizes of the batches.
    fn batch_sizes(components: impl Iterator<Item = ImportComponent>) -> Vec<usize> {
        let mut batch = BatchBuilder::default();
        let mut sizes = Vec::new();
        for component in components {
            if batch.ends_before(&component) {
                sizes.push(batch.take().len());
            }
            batch.add(component);
        }
        sizes.push(batch.take().len());
        sizes
    }

    #[test]
    fn batches_end_with_an_app_if_possible() {
        assert_eq!(
            batch_sizes((0..130).map(|n| component(n / 30, 1))),
            [60, 60, 10]
        );
        assert_eq!(
            batch_sizes((0..230).map(|_| component(0, 1))),
            [100, 100, 30]
        );
        assert_eq!(
            batch_sizes((0..5).map(|_| component(0, MAX_BYTES / 2))),
            [2, 2, 1]
        );
    }
}
