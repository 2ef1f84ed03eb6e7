//! Bundling a component into one module.

use sluice_api::ImportComponent;
use sluice_code::{
    Bundle, BundleOptions, Files as _, LocalFiles, Location, SourceMap, bundle, with_inline_map,
};

use sluice_model::CodeError;

use super::{recording::RecordedFiles, tree::is_typescript};

/// Maximum code size of a component and of a batch, far below the limit of the server.
pub(super) const MAX_BYTES: usize = 4 << 20;

/// Bundles the component in a file of the tree.
pub(super) async fn bundle_component(files: LocalFiles, path: String) -> ImportComponent {
    let recorded = RecordedFiles::new(&files);
    let entry = Location::new(path.as_str());
    let options = BundleOptions {
        source_map: Some(SourceMap::NamesOnly),
        ..BundleOptions::default()
    };
    let bundled = bundle(&entry, recorded.clone(), options).await;
    let (component_code, errors) = match bundled {
        Ok(bundle) => match code_to_send(&recorded, &entry, bundle).await {
            code if code.len() <= MAX_BYTES => (Some(code), Vec::new()),
            code => {
                let message = format!("too large: {} bytes", code.len());
                (None, vec![CodeError::without_position(message)])
            }
        },
        Err(errors) => {
            let errors = errors.into_iter().map(|error| error.relative_to(&path));
            (None, errors.collect())
        }
    };
    ImportComponent {
        path,
        component_code,
        errors,
        files: recorded.hashes(),
    }
}

/// A component in a single JavaScript file is sent unchanged.
async fn code_to_send(files: &RecordedFiles, entry: &Location, bundle: Bundle) -> String {
    let is_single_file = bundle.files == [entry.clone()];
    if is_single_file
        && !is_typescript(entry.as_str())
        && let Ok(Some(text)) = files.read(entry).await
    {
        return text;
    }
    with_inline_map(&bundle.code, &bundle.map.unwrap_or_default())
}
