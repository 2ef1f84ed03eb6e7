//! Making one module of a component's files.

use sluice_api::ImportComponent;
use sluice_code::{
    Bundle, BundleOptions, Files as _, LocalFiles, Location, SourceMap, bundle, with_inline_map,
};

use super::{recording::RecordedFiles, tree::is_typescript};

/// The component in a file of the tree, as the server takes it.
pub(super) async fn bundled(files: LocalFiles, path: String) -> ImportComponent {
    let recorded = RecordedFiles::new(&files);
    let entry = Location::new(path.as_str());
    let options = BundleOptions {
        source_map: Some(SourceMap::NamesOnly),
        ..BundleOptions::default()
    };
    let made = bundle(&entry, recorded.clone(), options).await;
    let (component_code, error) = match made {
        Ok(bundle) => match sent(&recorded, &entry, bundle).await {
            code if code.len() <= super::batches::MOST_BYTES => (Some(code), None),
            code => (None, Some(format!("it is too large: {} bytes", code.len()))),
        },
        Err(faults) => {
            let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
            (None, Some(faults.join("; ")))
        }
    };
    ImportComponent {
        path,
        component_code,
        error,
        files: recorded.hashes(),
    }
}

/// A component that is one file of JavaScript stays as its author wrote it.
async fn sent(files: &RecordedFiles, entry: &Location, bundle: Bundle) -> String {
    let is_alone = bundle.files == [entry.clone()];
    if is_alone
        && !is_typescript(entry.as_str())
        && let Ok(Some(text)) = files.read(entry).await
    {
        return text;
    }
    with_inline_map(&bundle.code, &bundle.map.unwrap_or_default())
}
