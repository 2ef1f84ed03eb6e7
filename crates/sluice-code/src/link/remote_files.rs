//! Components at a URL, with the files that they import.

use url::Url;

use super::files::{FileError, Files};
use crate::location::Location;

/// Files at http and https URLs. The caller's function fetches them and decides which hosts may be reached. It returns
/// `None` if the server has no such file.
#[derive(Debug)]
pub struct RemoteFiles<F> {
    fetch: F,
}

impl<F, Fetched> RemoteFiles<F>
where
    F: Fn(Url) -> Fetched + Send + Sync + 'static,
    Fetched: Future<Output = Result<Option<String>, FileError>> + Send,
{
    pub fn new(fetch: F) -> RemoteFiles<F> {
        RemoteFiles { fetch }
    }
}

/// The URL that `specifier` means in the file at a URL.
pub(crate) fn locate_url(importer: &Location, specifier: &str) -> Result<Location, FileError> {
    let unsupported = || FileError::Unsupported(specifier.to_owned());
    let url = Url::parse(importer.as_str())
        .and_then(|importer| importer.join(specifier))
        .map_err(|_| unsupported())?;
    match url.scheme() {
        "http" | "https" => Ok(Location::new(url)),
        _ => Err(unsupported()),
    }
}

impl<F, Fetched> Files for RemoteFiles<F>
where
    F: Fn(Url) -> Fetched + Send + Sync + 'static,
    Fetched: Future<Output = Result<Option<String>, FileError>> + Send,
{
    fn locate(&self, importer: &Location, specifier: &str) -> Result<Location, FileError> {
        locate_url(importer, specifier)
    }

    /// Apps are not looked for at URLs, because each guess would be a request.
    fn app_folder(&self, _app: &str) -> Option<Location> {
        None
    }

    async fn read(&self, location: &Location) -> Result<Option<String>, FileError> {
        let url = Url::parse(location.as_str()).map_err(|error| FileError::Unreadable {
            location: location.clone(),
            reason: error.to_string(),
        })?;
        (self.fetch)(url).await
    }
}
