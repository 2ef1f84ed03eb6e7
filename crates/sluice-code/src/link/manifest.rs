//! The versions of packages that the manifest of an app asks for.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{files::FileError, files::Files, graph::Graph};
use crate::{location::Location, module::ParsedModule, specifier::is_version};

#[derive(Deserialize)]
struct Manifest {
    #[serde(default)]
    dependencies: BTreeMap<String, serde_json::Value>,
}

impl<F: Files> Graph<F> {
    /// The ranges for the packages that a file of a tree imports without a version. The manifest is in the folder of its app,
    /// the first one in its path.
    pub(crate) async fn package_ranges(
        &self,
        location: &Location,
        module: &ParsedModule,
        is_file: impl Fn(&str) -> bool,
    ) -> Result<BTreeMap<String, String>, FileError> {
        let packages = module.packages_except(is_file);
        let bare = packages.iter().filter(|package| package.request.is_bare());
        let names: Vec<&str> = bare.map(|package| package.request.name()).collect();
        let app = location.as_str().split_once('/').map(|(app, _)| app);
        let (false, Some(app), false) = (names.is_empty(), app, location.is_url()) else {
            return Ok(BTreeMap::new());
        };
        let manifest = Location::new(format!("{app}/package.json"));
        let Some(file) = self.read(&manifest).await? else {
            return Ok(BTreeMap::new());
        };
        let text = file.text().map(|text| &**text).unwrap_or_default();
        let Ok(Manifest { mut dependencies }) = serde_json::from_str(text) else {
            return Ok(BTreeMap::new());
        };
        let range_of = |name: &str| {
            let (name, range) = dependencies.remove_entry(name)?;
            let range = range.as_str().filter(|range| is_version(range))?;
            Some((name, range.to_owned()))
        };
        Ok(names.into_iter().filter_map(range_of).collect())
    }
}
