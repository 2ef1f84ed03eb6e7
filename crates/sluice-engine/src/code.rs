//! From what a request gives to the code that is kept and the JavaScript that runs.
//!
//! One file of JavaScript runs as it is. TypeScript, and code that imports files beside it, is built into one module,
//! with a source map, so that errors keep the lines of the author.

use std::sync::Arc;

use reqwest::Url;
use sluice_code::{
    Bundle, BundleError, BundleOptions, CodeError, FileError, Files, Language, Limits, Location,
    ParsedModule, RemoteFiles, SourceMap, bundle, with_inline_map, without_inline_map,
};
use sluice_runtime::Lines;

use crate::{
    components::CodeInput,
    error::EngineError,
    fetch::{self, Fetcher},
};

/// A component's code, ready to be loaded.
pub(crate) struct PreparedCode {
    /// What is kept and shown.
    pub(crate) code: String,
    /// What runs, when that is not the code itself.
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

/// Fetches code that is given by its address, follows its imports, and builds what cannot run as it is.
pub(crate) async fn prepare(
    input: CodeInput,
    fetcher: &Arc<Fetcher>,
    most_bytes: usize,
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
        return Err(EngineError::InvalidCode(vec![CodeError {
            message: format!(
                "the code imports {}, and only one file was given: give component_url, or put everything into one file",
                import.specifier
            ),
            line: import.line,
            column: import.column,
        }]));
    }
    if module.language() == Language::JavaScript && module.relative_import().is_none() {
        return Ok(as_it_is(module));
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
    build(module, entry, beside, most_bytes).await
}

/// Builds the code of the file `entry` if it cannot run as it is, with those of `beside` that it imports.
pub(crate) async fn prepare_beside(
    module: ParsedModule,
    entry: Location,
    beside: impl Files,
    most_bytes: usize,
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
    build(module, entry, beside, most_bytes).await
}

/// Code that a program made, as its source map tells, is shown without the map and runs with it.
fn as_it_is(module: ParsedModule) -> PreparedCode {
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
    most_bytes: usize,
) -> Result<PreparedCode, EngineError> {
    let code = module.code().to_string();
    let files = ComponentFiles {
        entry: entry.clone(),
        module,
        beside,
    };
    let options = BundleOptions {
        limits: Limits {
            bytes: most_bytes,
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
    } = bundle(&entry, files, options)
        .await
        .map_err(|faults| EngineError::InvalidCode(code_faults(faults, &entry)))?;
    let built = with_inline_map(&javascript, &map.unwrap_or_default());
    let module = ParsedModule::parse(built.as_str(), Some(Language::JavaScript));
    Ok(PreparedCode {
        module: module.map_err(EngineError::InvalidCode)?,
        // The files of a component are kept as the one module they make together.
        code: if files.len() == 1 { code } else { javascript },
        built: Some(built),
    })
}

/// The file that was given, and those beside it.
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

/// The name of the first file: its address, or one of ours, with an extension that tells its language.
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

/// The extension of an address, when it is one of a file with code.
fn extension_of(address: &Url) -> Option<&str> {
    let (_, extension) = address.path().rsplit_once('.')?;
    ["js", "mjs", "cjs", "ts", "mts", "cts"]
        .contains(&extension)
        .then_some(extension)
}

/// People copy the address of the page that shows a file; what they mean is the file.
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
        // Only hosts that cannot be a host are refused.
        let _ = url.set_host(Some("raw.githubusercontent.com"));
        url.set_path(&path);
        url.set_query(None);
        url.set_fragment(None);
    }
    url
}

/// A fault in the file that was given has its line; one in another file says which.
fn code_faults(faults: Vec<BundleError>, entry: &Location) -> Vec<CodeError> {
    faults
        .into_iter()
        .map(|fault| match &fault.file {
            Some(file) if file != entry.as_str() => CodeError {
                message: fault.to_string(),
                line: None,
                column: None,
            },
            _ => CodeError {
                message: fault.message,
                line: fault.line,
                column: fault.column,
            },
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(address: &str) -> String {
        raw_address(Url::parse(address).unwrap()).to_string()
    }

    #[test]
    fn the_page_of_a_file_is_read_as_the_file() {
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
    fn the_first_file_has_a_name_that_tells_its_language() {
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
