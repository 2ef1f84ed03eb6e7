//! The endpoint of a request: `/e/{key}/…` on any host, or `{key}.{domain}/…` if the server has a domain for endpoints.

use http::{HeaderMap, Uri, header::HOST, request::Parts};
use sluice_model::EndpointKey;

const PREFIX: &str = "/e/";

/// The hosts of endpoints: the key as a label in front of the domain.
pub(crate) struct EndpointHost {
    /// A dot and the domain, in lower case and without a port.
    suffix: String,
    scheme: String,
}

impl EndpointHost {
    pub(crate) fn new(domain: &str, public_url: &str) -> Self {
        let scheme = public_url
            .split_once("://")
            .map_or("http", |(scheme, _)| scheme);
        EndpointHost {
            suffix: format!(".{}", without_port(domain).to_ascii_lowercase()),
            scheme: scheme.to_owned(),
        }
    }

    fn key(&self, host: &str) -> Option<EndpointKey> {
        let host = without_port(host).to_ascii_lowercase();
        EndpointKey::parse(host.strip_suffix(&self.suffix)?)
    }
}

/// The endpoint that a request is for, and the form of its address.
pub(crate) struct Address {
    form: AddressForm,
    /// None when it is malformed.
    key: Option<EndpointKey>,
}

enum AddressForm {
    Host,
    /// The length of the prefix that identifies the endpoint.
    Path {
        prefix: usize,
    },
}

/// The origin of an endpoint's response in a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The same origin as the console.
    Shared,
    /// A host of its own.
    Own,
}

impl Address {
    pub(crate) fn of(uri: &Uri, headers: &HeaderMap, host: Option<&EndpointHost>) -> Option<Self> {
        if let Some(key) = host.and_then(|host| host.key(host_of(uri, headers)?)) {
            return Some(Address {
                form: AddressForm::Host,
                key: Some(key),
            });
        }
        let rest = uri.path().strip_prefix(PREFIX)?;
        let key = rest.split('/').next().unwrap_or_default();
        Some(Address {
            form: AddressForm::Path {
                prefix: PREFIX.len() + key.len(),
            },
            key: EndpointKey::parse(key),
        })
    }

    pub(crate) fn origin(&self) -> Origin {
        match self.form {
            AddressForm::Host => Origin::Own,
            AddressForm::Path { .. } => Origin::Shared,
        }
    }

    pub(crate) fn key(&self) -> Option<&EndpointKey> {
        self.key.as_ref()
    }

    /// The path below the endpoint, as the component sees it.
    pub(crate) fn event_path<'a>(&self, uri: &'a Uri) -> &'a str {
        let path = match self.form {
            AddressForm::Host => uri.path(),
            AddressForm::Path { prefix } => &uri.path()[prefix..],
        };
        if path.is_empty() { "/" } else { path }
    }

    /// The public URL of the request.
    pub(crate) fn url(
        &self,
        parts: &Parts,
        public_url: &str,
        host: Option<&EndpointHost>,
    ) -> String {
        let target = parts
            .uri
            .path_and_query()
            .map_or("/", |target| target.as_str());
        match (&self.form, host, host_of(&parts.uri, &parts.headers)) {
            (AddressForm::Host, Some(EndpointHost { scheme, .. }), Some(name)) => {
                format!("{scheme}://{name}{target}")
            }
            (AddressForm::Host | AddressForm::Path { .. }, ..) => format!("{public_url}{target}"),
        }
    }
}

fn host_of<'a>(uri: &'a Uri, headers: &'a HeaderMap) -> Option<&'a str> {
    match uri.authority() {
        Some(authority) => Some(authority.as_str()),
        None => headers.get(HOST)?.to_str().ok(),
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    const KEY: &str = "0123456789abcdef0123456789abcdef";

    fn seen(uri: &str, host_header: &str) -> Option<(Option<String>, String, String)> {
        let host = EndpointHost::new("Hooks.Example.com:8443", "https://sluice.example.com");
        let request = Request::builder().uri(uri).header(HOST, host_header);
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let address = Address::of(&parts.uri, &parts.headers, Some(&host))?;
        Some((
            address.key().map(|key| key.as_str().to_owned()),
            address.event_path(&parts.uri).to_owned(),
            address.url(&parts, "https://sluice.example.com", Some(&host)),
        ))
    }

    #[test]
    fn a_path_below_e_is_an_endpoint() {
        let (key, path, url) = seen(&format!("/e/{KEY}"), "x").unwrap();
        assert_eq!((key.as_deref(), path.as_str()), (Some(KEY), "/"));
        assert_eq!(url, format!("https://sluice.example.com/e/{KEY}"));
        let (key, path, url) = seen(&format!("/e/{KEY}/a%20b//?q=1"), "x").unwrap();
        assert_eq!((key.as_deref(), path.as_str()), (Some(KEY), "/a%20b//"));
        assert_eq!(
            url,
            format!("https://sluice.example.com/e/{KEY}/a%20b//?q=1")
        );
        assert_eq!(seen("/e/nonsense/a", "x").unwrap().0, None);
        assert_eq!(seen("/e/", "x").unwrap().0, None);
    }

    #[test]
    fn a_key_in_front_of_the_domain_is_an_endpoint() {
        let host = format!("{}.hooks.example.COM:8443", KEY.to_uppercase());
        let (key, path, url) = seen("/e/x?q=1", &host).unwrap();
        assert_eq!((key.as_deref(), path.as_str()), (Some(KEY), "/e/x"));
        assert_eq!(url, format!("https://{host}/e/x?q=1"));
    }

    #[test]
    fn everything_else_is_for_the_api() {
        assert!(seen("/v1/sources", "x").is_none());
        assert!(seen("/e", "x").is_none());
        assert!(seen("/", "www.hooks.example.com").is_none());
        assert!(seen("/", &format!("a.{KEY}.hooks.example.com")).is_none());
        assert!(seen("/", &format!("{KEY}.evil.com")).is_none());
        assert!(seen("*", "x").is_none());
    }
}
