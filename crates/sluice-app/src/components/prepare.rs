//! From the code of a request to the files that are stored and run.

use std::sync::Arc;

use reqwest::Url;
use sluice_code::{
    CodeTree, FileError, Files, Language, Limits, LinkOptions, Location, MemoryFiles, ParsedModule,
    RemoteFiles, link,
};
use sluice_engine::EngineError;
use sluice_model::CodeError;

use super::{
    fetch::{self, Fetcher},
    input::{CodeInput, FilesInput},
};

/// Fetches code from its address, and finds the files that it imports.
pub(super) async fn prepare(
    input: CodeInput,
    fetcher: &Arc<Fetcher>,
    max_bytes: usize,
) -> Result<CodeTree, EngineError> {
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
    if let Some(files) = input.files {
        return prepare_with(code, files, max_bytes).await;
    }
    let language = language_of(address.as_ref());
    let module = ParsedModule::parse(code, language).map_err(EngineError::InvalidCode)?;
    let Some(import) = module.relative_import() else {
        return Ok(CodeTree::single(module));
    };
    let Some(address) = address else {
        let message = format!(
            "the code imports {}, and only one file was given: give component_files or component_url, or put everything into one file",
            import.specifier
        );
        return Err(EngineError::InvalidCode(vec![CodeError {
            line: import.line,
            column: import.column,
            ..CodeError::without_position(message)
        }]));
    };
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
    link_files(module, entry, beside, options(max_bytes)).await
}

/// Code with the files that came with it.
async fn prepare_with(
    code: String,
    FilesInput { path, files }: FilesInput,
    max_bytes: usize,
) -> Result<CodeTree, EngineError> {
    let invalid = |error: FileError| EngineError::Invalid(format!("component_files: {error}"));
    if files.keys().chain([&path]).any(|path| path.contains('\0')) {
        return Err(EngineError::Invalid(
            "component_files: paths must not contain NUL characters".to_owned(),
        ));
    }
    let entry = MemoryFiles::location(&path).map_err(invalid)?;
    let beside = MemoryFiles::new(&files).map_err(invalid)?;
    let module = ParsedModule::parse(code, language_of_path(entry.as_str()));
    let module = module.map_err(EngineError::InvalidCode)?;
    let options = LinkOptions {
        sample: true,
        ..options(max_bytes)
    };
    link_files(module, entry, beside, options).await
}

/// Finds the files of `beside` that the code of the file `entry` imports.
pub(super) async fn prepare_beside(
    module: ParsedModule,
    entry: Location,
    beside: impl Files,
    max_bytes: usize,
) -> Result<CodeTree, EngineError> {
    if module.code().contains('\0') {
        let message = "the code must not contain NUL characters";
        return Err(EngineError::InvalidCode(vec![CodeError::without_position(
            message,
        )]));
    }
    if module.relative_import().is_none() {
        return Ok(CodeTree::single(module));
    }
    link_files(module, entry, beside, options(max_bytes)).await
}

fn options(max_bytes: usize) -> LinkOptions {
    LinkOptions {
        limits: Limits {
            bytes: max_bytes,
            ..Limits::default()
        },
        ..LinkOptions::default()
    }
}

async fn link_files(
    module: ParsedModule,
    entry: Location,
    beside: impl Files,
    options: LinkOptions,
) -> Result<CodeTree, EngineError> {
    let files = ComponentFiles {
        entry: entry.clone(),
        module,
        beside,
    };
    link(&entry, files, options).await.map_err(|errors| {
        let errors = errors.into_iter();
        let errors = errors.map(|error| error.relative_to(entry.as_str()));
        EngineError::InvalidCode(errors.collect())
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

    fn parsed(&self, location: &Location) -> Option<ParsedModule> {
        (*location == self.entry).then(|| self.module.clone())
    }
}

/// The address of the entry file, with the extension of its language.
fn entry_location(mut address: Url, language: Language) -> Location {
    let extension = match language {
        Language::JavaScript => "js",
        Language::TypeScript => "ts",
    };
    if extension_of(address.path()).is_none() {
        let path = format!("{}.{extension}", address.path());
        address.set_path(&path);
    }
    Location::new(address)
}

/// The language of a file by its address; others are detected.
fn language_of(address: Option<&Url>) -> Option<Language> {
    language_of_path(address?.path())
}

fn language_of_path(path: &str) -> Option<Language> {
    let extension = extension_of(path);
    matches!(extension, Some("ts" | "mts" | "cts")).then_some(Language::TypeScript)
}

/// The extension of a path, if it is one of a code file.
fn extension_of(path: &str) -> Option<&str> {
    let (_, extension) = path.rsplit_once('.')?;
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
        let name = |address: &str, language| {
            let address = Url::parse(address).unwrap();
            entry_location(address, language).as_str().to_owned()
        };
        assert_eq!(
            name("https://a.test/x.mjs?v=1", Language::JavaScript),
            "https://a.test/x.mjs?v=1"
        );
        assert_eq!(
            name("https://a.test/x", Language::TypeScript),
            "https://a.test/x.ts"
        );
    }
}
