//! Resolves imports to files.

use super::{
    files::{FileError, Files},
    graph::Graph,
    import_target::ImportTarget,
};
use crate::{
    location::Location,
    source_kind::{EXTENSIONS, SourceKind},
};

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Resolution {
    File(Location),
    /// Left as it is written.
    Package,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ResolveError {
    #[error("`{0}` names no file")]
    NoFile(String),
    #[error("{0} is not JavaScript, TypeScript or JSON")]
    NotCode(Location),
    #[error(transparent)]
    File(#[from] FileError),
}

impl<F: Files> Graph<F> {
    pub(crate) async fn resolve(
        &self,
        importer: &Location,
        specifier: &str,
    ) -> Result<Resolution, ResolveError> {
        match ImportTarget::of(specifier) {
            ImportTarget::Package => Ok(Resolution::Package),
            ImportTarget::File(path) => {
                let wanted = self.files.locate(importer, path)?;
                let found = self.first(candidates(&wanted, importer)).await?;
                found
                    .map(Resolution::File)
                    .ok_or_else(|| ResolveError::NoFile(specifier.to_owned()))
            }
            ImportTarget::App { app, path } => {
                let found = match self.files.app_folder(app) {
                    None => None,
                    Some(folder) => self.in_app(&folder, app, path).await?,
                };
                Ok(found.map_or(Resolution::Package, Resolution::File))
            }
        }
    }

    /// A file in an app's folder. Files that are not there, such as those made by a build, are left to the published package.
    async fn in_app(
        &self,
        folder: &Location,
        app: &str,
        path: Option<&str>,
    ) -> Result<Option<Location>, ResolveError> {
        let manifest = folder.child("package.json");
        let named = match path {
            Some(path) => Some(path.to_owned()),
            None => self.main(&manifest).await?,
        };
        if let Some(named) = named {
            let wanted = self.files.locate(&manifest, &format!("./{named}"))?;
            let found = self.first(candidates(&wanted, &manifest)).await?;
            if found.is_some() || path.is_some() {
                return Ok(found);
            }
        }
        let own =
            ["mjs", "js", "ts"].map(|extension| folder.child(&format!("{app}.app.{extension}")));
        self.first(own.into_iter().chain(index_of(folder)).collect())
            .await
    }

    /// `main` of a package's manifest.
    async fn main(&self, manifest: &Location) -> Result<Option<String>, ResolveError> {
        let Some(file) = self.read(manifest).await? else {
            return Ok(None);
        };
        let text = file.text().map(|text| &**text).unwrap_or_default();
        let manifest: Option<serde_json::Value> = serde_json::from_str(text).ok();
        Ok(manifest.and_then(|manifest| Some(manifest.get("main")?.as_str()?.to_owned())))
    }

    async fn first(&self, candidates: Vec<Location>) -> Result<Option<Location>, ResolveError> {
        for candidate in candidates {
            if self.read(&candidate).await?.is_some() {
                return match SourceKind::of(&candidate) {
                    Some(_) => Ok(Some(candidate)),
                    None => Err(ResolveError::NotCode(candidate)),
                };
            }
        }
        Ok(None)
    }
}

/// The files that `wanted` can mean, likeliest first. Few are tried at a URL, because each try is a request.
fn candidates(wanted: &Location, importer: &Location) -> Vec<Location> {
    let extension = wanted
        .extension()
        .filter(|extension| EXTENSIONS.contains(extension));
    let in_typescript = match extension {
        Some("js") => Some("ts"),
        Some("mjs") => Some("mts"),
        Some("cjs") => Some("cts"),
        _ => None,
    };
    let in_typescript = in_typescript.map(|extension| wanted.with_extension(extension));
    let mut extended: Vec<&str> = EXTENSIONS.to_vec();
    if wanted.is_url() {
        if extension.is_some() {
            return [wanted.clone()].into_iter().chain(in_typescript).collect();
        }
        // A component is usually written in one language.
        extended.sort_by_key(|extension| Some(*extension) != importer.extension());
    }
    let extended = extended
        .into_iter()
        .map(|extension| wanted.with(&format!(".{extension}")));
    if wanted.is_url() {
        extended
            .chain(index_of(wanted))
            .chain([wanted.clone()])
            .collect()
    } else {
        [wanted.clone()]
            .into_iter()
            .chain(in_typescript)
            .chain(extended)
            .chain(index_of(wanted))
            .collect()
    }
}

fn index_of(folder: &Location) -> impl Iterator<Item = Location> {
    EXTENSIONS
        .map(|extension| folder.child(&format!("index.{extension}")))
        .into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(wanted: &str, importer: &str) -> Vec<String> {
        candidates(&Location::new(wanted), &Location::new(importer))
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn an_exact_file_comes_first() {
        let tried = names("a/b.js", "a/x.ts");
        assert_eq!(tried[..4], ["a/b.js", "a/b.ts", "a/b.js.mjs", "a/b.js.js"]);
        assert_eq!(tried[9], "a/b.js/index.mjs");
    }

    #[test]
    fn few_files_are_tried_at_a_url() {
        assert_eq!(
            names("https://h/b.js", "https://h/x.ts"),
            ["https://h/b.js", "https://h/b.ts"]
        );
        let tried = names("https://h/acme.app", "https://h/x.ts");
        assert_eq!(
            tried[..2],
            ["https://h/acme.app.ts", "https://h/acme.app.mjs"]
        );
        assert_eq!(tried.last().map(String::as_str), Some("https://h/acme.app"));
    }
}
