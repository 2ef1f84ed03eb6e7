//! From the code of a request to the code that is stored and the JavaScript that runs.
//!
//! A single file of JavaScript runs unchanged. TypeScript, and code that imports other files, is bundled into one module
//! with a source map, so that errors show the author's lines.

use std::sync::Arc;

use reqwest::Url;
use sluice_code::{
    Bundle, BundleOptions, FileError, Files, Language, Limits, Location, ParsedModule, RemoteFiles,
    SourceMap, bundle, with_inline_map, without_inline_map,
};
use sluice_engine::EngineError;
use sluice_model::CodeError;
use sluice_runtime::Lines;

use super::{
    fetch::{self, Fetcher},
    input::CodeInput,
};

/// A component's code, ready to be loaded.
pub(crate) struct PreparedCode {
    /// Stored and shown.
    pub(crate) code: String,
    /// The JavaScript that runs, unless that is the code itself.
    pub(crate) built: Option<String>,
    /// The JavaScript that runs.
    pub(crate) module: ParsedModule,
}

impl PreparedCode {
    pub(crate) fn lines(&self) -> Lines {
        if self.built.is_some() {
            Lines::Built
        } else {
            Lines::Written
        }
    }
}

/// Fetches code from its address, follows its imports, and bundles it if it cannot run unchanged.
pub(super) async fn prepare(
    input: CodeInput,
    fetcher: &Arc<Fetcher>,
    max_bytes: usize,
) -> Result<PreparedCode, EngineError> {
    let address = match &input.url {
        Some(url) => Some(raw_address(fetch::checked(url)?)),
        None => None,
    };
    let code = match (input.code, &address) {
        (Some(code), _) => code,
        (None, Some(address)) => fetcher.code(address).await?,
        (None, None) => {
            return Err(EngineError::BadRequest(
                "component_code or component_url is required".to_owned(),
            ));
        }
    };
    if code.contains('\0') {
        return Err(EngineError::Invalid(
            "component_code must not contain NUL characters".to_owned(),
        ));
    }
    let language = language_of(address.as_ref());
    let module = ParsedModule::parse(code, language).map_err(EngineError::InvalidCode)?;
    if let (Some(import), None) = (module.relative_import(), &address) {
        let message = format!(
            "the code imports {}, and only one file was given: give component_url, or put everything into one file",
            import.specifier
        );
        return Err(EngineError::InvalidCode(vec![CodeError {
            line: import.line,
            column: import.column,
            ..CodeError::without_position(message)
        }]));
    }
    if module.language() == Language::JavaScript && module.relative_import().is_none() {
        return Ok(unchanged(module));
    }
    let fetcher = Arc::clone(fetcher);
    let beside = RemoteFiles::new(move |address: Url| {
        let fetcher = Arc::clone(&fetcher);
        async move {
            let file = fetcher.file(&address).await;
            file.map_err(|error| FileError::Unreadable {
                location: Location::new(address),
                reason: error.to_string(),
            })
        }
    });
    let entry = entry_location(address, module.language());
    build(module, entry, beside, max_bytes).await
}

/// Bundles the code of the file `entry` with the files of `beside` that it imports, if it cannot run unchanged.
pub(super) async fn prepare_beside(
    module: ParsedModule,
    entry: Location,
    beside: impl Files,
    max_bytes: usize,
) -> Result<PreparedCode, EngineError> {
    if module.code().contains('\0') {
        let message = "the code must not contain NUL characters";
        return Err(EngineError::InvalidCode(vec![CodeError::without_position(
            message,
        )]));
    }
    if module.language() == Language::JavaScript && module.relative_import().is_none() {
        return Ok(PreparedCode {
            code: module.code().to_string(),
            built: None,
            module,
        });
    }
    build(module, entry, beside, max_bytes).await
}

/// Generated code with an inline source map is shown without the map and runs with it.
fn unchanged(module: ParsedModule) -> PreparedCode {
    let code = module.code().to_string();
    match without_inline_map(&code).map(str::to_owned) {
        Some(shown) => PreparedCode {
            code: shown,
            built: Some(code),
            module,
        },
        None => PreparedCode {
            code,
            built: None,
            module,
        },
    }
}

async fn build(
    module: ParsedModule,
    entry: Location,
    beside: impl Files,
    max_bytes: usize,
) -> Result<PreparedCode, EngineError> {
    let code = module.code().to_string();
    let files = ComponentFiles {
        entry: entry.clone(),
        module,
        beside,
    };
    let options = BundleOptions {
        limits: Limits {
            bytes: max_bytes,
            ..Limits::default()
        },
        source_map: Some(SourceMap::NamesOnly),
        ..BundleOptions::default()
    };
    let Bundle {
        code: javascript,
        files,
        map,
        ..
    } = bundle(&entry, files, options).await.map_err(|errors| {
        let errors = errors.into_iter();
        let errors = errors.map(|error| error.relative_to(entry.as_str()));
        EngineError::InvalidCode(errors.collect())
    })?;
    let built = with_inline_map(&javascript, &map.unwrap_or_default());
    let module = ParsedModule::parse(built.as_str(), Some(Language::JavaScript));
    Ok(PreparedCode {
        module: module.map_err(EngineError::InvalidCode)?,
        // Several files are stored as the one module that they become.
        code: if files.len() == 1 { code } else { javascript },
        built: Some(built),
    })
}

/// The entry file, and the files beside it.
struct ComponentFiles<F> {
    entry: Location,
    module: ParsedModule,
    beside: F,
}

impl<F: Files> Files for ComponentFiles<F> {
    fn locate(&self, importer: &Location, specifier: &str) -> Result<Location, FileError> {
        self.beside.locate(importer, specifier)
    }

    fn app_folder(&self, app: &str) -> Option<Location> {
        self.beside.app_folder(app)
    }

    async fn read(&self, location: &Location) -> Result<Option<String>, FileError> {
        if *location == self.entry {
            return Ok(Some(self.module.code().to_string()));
        }
        self.beside.read(location).await
    }

    fn parsed(&self, location: &Location) -> Option<&ParsedModule> {
        (*location == self.entry).then_some(&self.module)
    }
}

/// The name of the entry file: its address or a default name, with the extension of its language.
fn entry_location(address: Option<Url>, language: Language) -> Location {
    let extension = match language {
        Language::JavaScript => "js",
        Language::TypeScript => "ts",
    };
    let Some(mut address) = address else {
        return Location::new(format!("component.{extension}"));
    };
    if extension_of(&address).is_none() {
        let path = format!("{}.{extension}", address.path());
        address.set_path(&path);
    }
    Location::new(address)
}

/// The language of a file by its address; others are detected.
fn language_of(address: Option<&Url>) -> Option<Language> {
    let extension = address.and_then(extension_of);
    matches!(extension, Some("ts" | "mts" | "cts")).then_some(Language::TypeScript)
}

/// The extension of an address, if it is one of a code file.
fn extension_of(address: &Url) -> Option<&str> {
    let (_, extension) = address.path().rsplit_once('.')?;
    ["js", "mjs", "cjs", "ts", "mts", "cts"]
        .contains(&extension)
        .then_some(extension)
}

/// The address of a file, given that of a GitHub page that shows it. Other addresses are unchanged.
pub fn raw_address(mut url: Url) -> Url {
    let segments: Vec<String> = url
        .path_segments()
        .into_iter()
        .flatten()
        .map(str::to_owned)
        .collect();
    if let ("github.com" | "www.github.com", [owner, repository, "blob", rest @ ..]) = (
        url.host_str().unwrap_or_default(),
        segments
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .as_slice(),
    ) && rest.len() > 1
    {
        let path = format!("/{owner}/{repository}/{}", rest.join("/"));
        // Fails only for invalid hosts.
        let _ = url.set_host(Some("raw.githubusercontent.com"));
        url.set_path(&path);
        url.set_query(None);
        url.set_fragment(None);
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(address: &str) -> String {
        raw_address(Url::parse(address).unwrap()).to_string()
    }

    #[test]
    fn a_github_page_is_read_as_its_file() {
        assert_eq!(
            raw("https://github.com/acme/things/blob/main/components/a/sources/b.mjs?x=1#L3"),
            "https://raw.githubusercontent.com/acme/things/main/components/a/sources/b.mjs"
        );
        for other in [
            "https://raw.githubusercontent.com/acme/things/main/a.mjs",
            "https://example.com/acme/things/blob/main/a.mjs",
            "https://github.com/acme/things/blob/main",
        ] {
            assert_eq!(raw(other), other);
        }
    }

    #[test]
    fn the_entry_file_has_the_extension_of_its_language() {
        let name = |address: Option<&str>, language| {
            let address = address.map(|address| Url::parse(address).unwrap());
            entry_location(address, language).as_str().to_owned()
        };
        assert_eq!(name(None, Language::TypeScript), "component.ts");
        assert_eq!(
            name(Some("https://a.test/x.mjs?v=1"), Language::JavaScript),
            "https://a.test/x.mjs?v=1"
        );
        assert_eq!(
            name(Some("https://a.test/x"), Language::TypeScript),
            "https://a.test/x.ts"
        );
    }
}
