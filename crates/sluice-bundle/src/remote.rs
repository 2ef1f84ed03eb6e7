//! Components at an address, with the files they import beside them.

use url::Url;

use crate::{FileError, Files, Location};

/// Files behind http and https, fetched by a function of the caller, which guards what may be reached. It gives `None`
/// when the server says that there is no such file.
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

impl<F, Fetched> Files for RemoteFiles<F>
where
    F: Fn(Url) -> Fetched + Send + Sync + 'static,
    Fetched: Future<Output = Result<Option<String>, FileError>> + Send,
{
    fn locate(&self, importer: &Location, specifier: &str) -> Result<Location, FileError> {
        let unsupported = || FileError::Unsupported(specifier.to_owned());
        let address = Url::parse(importer.as_str())
            .and_then(|importer| importer.join(specifier))
            .map_err(|_| unsupported())?;
        match address.scheme() {
            "http" | "https" => Ok(Location::new(address)),
            _ => Err(unsupported()),
        }
    }

    /// Apps beside an address are not looked for: each guess would be a request.
    fn app_folder(&self, _app: &str) -> Option<Location> {
        None
    }

    async fn read(&self, location: &Location) -> Result<Option<String>, FileError> {
        let address = Url::parse(location.as_str()).map_err(|error| FileError::Unreadable {
            location: location.clone(),
            reason: error.to_string(),
        })?;
        (self.fetch)(address).await
    }
}
