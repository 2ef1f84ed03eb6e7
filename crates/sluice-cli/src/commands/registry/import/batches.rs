//! Reading components concurrently, in batches for the server.

use std::{collections::BTreeMap, thread};

use futures_util::{StreamExt as _, stream};
use sluice_api::ImportComponent;
use tokio::sync::mpsc;

use super::{
    linking::{LinkedComponent, MAX_BYTES, link_component},
    tree::Tree,
};

/// The maximum of the server.
const MAX_COMPONENTS: usize = 100;
/// From this size a batch ends with its app, so that the files of an app are sent once.
const TARGET_COMPONENTS: usize = 50;

/// Components with the texts of all their files, by path.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) components: Vec<ImportComponent>,
    pub(super) texts: BTreeMap<String, String>,
}

/// Reads the components at these paths, in order.
pub(super) fn read_in_batches(tree: &Tree, paths: Vec<String>) -> mpsc::Receiver<Batch> {
    let (sender, receiver) = mpsc::channel(1);
    let concurrency = 2 * thread::available_parallelism().map_or(1, usize::from);
    let files = tree.files.clone();
    tokio::spawn(async move {
        let linking = paths
            .into_iter()
            .map(move |path| link_component(files.clone(), path));
        let mut linked = stream::iter(linking).buffered(concurrency);
        let mut batch = Batch::default();
        while let Some(component) = linked.next().await {
            if batch.ends_before(&component)
                && sender.send(std::mem::take(&mut batch)).await.is_err()
            {
                return;
            }
            batch.add(component);
        }
        if !batch.components.is_empty() {
            // The receiver is gone if the import has failed.
            let _ = sender.send(batch).await;
        }
    });
    receiver
}

impl Batch {
    fn ends_before(&self, next: &LinkedComponent) -> bool {
        let Some(last) = self.components.last() else {
            return false;
        };
        let is_other_app = app_of(last) != app_of(&next.component);
        self.components.len() >= MAX_COMPONENTS
            || self.bytes_with(next) > MAX_BYTES
            || (self.components.len() >= TARGET_COMPONENTS && is_other_app)
    }

    fn bytes_with(&self, next: &LinkedComponent) -> usize {
        let new = next
            .texts
            .iter()
            .filter(|(path, _)| !self.texts.contains_key(*path));
        let bytes = self.texts.values().map(String::len).sum::<usize>();
        bytes + new.map(|(_, text)| text.len()).sum::<usize>()
    }

    fn add(&mut self, LinkedComponent { component, texts }: LinkedComponent) {
        self.components.push(component);
        self.texts.extend(texts);
    }
}

fn app_of(component: &ImportComponent) -> &str {
    component.path.split('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn component(app: usize, bytes: usize, number: usize) -> LinkedComponent {
        let path = format!("app{app}/sources/{number}.mjs");
        LinkedComponent {
            component: ImportComponent {
                path: path.clone(),
                ..ImportComponent::default()
            },
            texts: BTreeMap::from([(path, "x".repeat(bytes))]),
        }
    }

    /// The sizes of the batches.
    fn batch_sizes(components: impl Iterator<Item = LinkedComponent>) -> Vec<usize> {
        let mut batch = Batch::default();
        let mut sizes = Vec::new();
        for component in components {
            if batch.ends_before(&component) {
                sizes.push(std::mem::take(&mut batch).components.len());
            }
            batch.add(component);
        }
        sizes.push(batch.components.len());
        sizes
    }

    #[test]
    fn batches_end_with_an_app_if_possible() {
        assert_eq!(
            batch_sizes((0..130).map(|n| component(n / 30, 1, n))),
            [60, 60, 10]
        );
        assert_eq!(
            batch_sizes((0..230).map(|n| component(0, 1, n))),
            [100, 100, 30]
        );
        assert_eq!(
            batch_sizes((0..5).map(|n| component(0, MAX_BYTES / 2, n))),
            [2, 2, 1]
        );
    }
}
