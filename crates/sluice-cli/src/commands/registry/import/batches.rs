//! Bundling ahead of the server: several components at once, and what is ready waits in small portions.

use std::thread;

use futures_util::{StreamExt as _, stream};
use sluice_api::ImportComponent;
use tokio::sync::mpsc;

use super::{bundling::bundled, tree::Tree};

/// As many as the server takes at once.
const MOST_COMPONENTS: usize = 100;
/// From here on a portion ends with its app, so that the server sees what all components of an app have in common.
const ENOUGH_COMPONENTS: usize = 50;
/// Of code; far below what the server takes.
pub(super) const MOST_BYTES: usize = 4 << 20;

pub(super) type Batch = Vec<ImportComponent>;

/// The components at these paths, in their order.
pub(super) fn of(tree: &Tree, paths: Vec<String>) -> mpsc::Receiver<Batch> {
    let (batches, ready) = mpsc::channel(1);
    let at_once = 2 * thread::available_parallelism().map_or(1, usize::from);
    let files = tree.files.clone();
    tokio::spawn(async move {
        let bundles = paths
            .into_iter()
            .map(move |path| bundled(files.clone(), path));
        let mut bundles = stream::iter(bundles).buffered(at_once);
        let mut batch = Portion::default();
        while let Some(component) = bundles.next().await {
            if batch.ends_before(&component) && batches.send(batch.take()).await.is_err() {
                return;
            }
            batch.add(component);
        }
        if !batch.components.is_empty() {
            // Nobody waits for it when the import has failed.
            let _ = batches.send(batch.take()).await;
        }
    });
    ready
}

#[derive(Default)]
struct Portion {
    components: Batch,
    bytes: usize,
}

impl Portion {
    fn ends_before(&self, next: &ImportComponent) -> bool {
        let Some(last) = self.components.last() else {
            return false;
        };
        let is_other_app = app_of(last) != app_of(next);
        self.components.len() >= MOST_COMPONENTS
            || self.bytes + bytes_of(next) > MOST_BYTES
            || (self.components.len() >= ENOUGH_COMPONENTS && is_other_app)
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

    /// The sizes of the portions that components make.
    fn portions(components: impl Iterator<Item = ImportComponent>) -> Vec<usize> {
        let mut portion = Portion::default();
        let mut sizes = Vec::new();
        for component in components {
            if portion.ends_before(&component) {
                sizes.push(portion.take().len());
            }
            portion.add(component);
        }
        sizes.push(portion.take().len());
        sizes
    }

    #[test]
    fn portions_end_with_an_app_if_they_can() {
        assert_eq!(
            portions((0..130).map(|n| component(n / 30, 1))),
            [60, 60, 10]
        );
        assert_eq!(portions((0..230).map(|_| component(0, 1))), [100, 100, 30]);
        assert_eq!(
            portions((0..5).map(|_| component(0, MOST_BYTES / 2))),
            [2, 2, 1]
        );
    }
}
