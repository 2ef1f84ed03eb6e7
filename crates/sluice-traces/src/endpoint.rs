//! The collector: its address and the headers that it wants.

use percent_encoding::percent_decode_str;
use reqwest::{
    Url,
    header::{HeaderMap, HeaderName, HeaderValue},
};

/// Below the address of the collector, unless that is already one for traces.
const PATH: &str = "v1/traces";

#[derive(Debug, Clone)]
pub struct Collector {
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum CollectorError {
    #[error("{0:?} is not an http or https address")]
    Url(String),
    /// Headers may hold secrets, so the text is not repeated.
    #[error("headers are pairs such as `name=value`, separated by commas")]
    Headers,
}

impl Collector {
    /// `address` is the base address, to which `/v1/traces` is added, or already ends with it. `headers` are `name=value` pairs,
    /// separated by commas, with percent-encoded values.
    pub fn parse(address: &str, headers: &str) -> Result<Collector, CollectorError> {
        Ok(Collector {
            url: url(address).ok_or_else(|| CollectorError::Url(address.to_owned()))?,
            headers: header_map(headers).ok_or(CollectorError::Headers)?,
        })
    }
}

fn url(address: &str) -> Option<Url> {
    let mut url = Url::parse(address).ok()?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return None;
    }
    let path = url.path().trim_end_matches('/').to_owned();
    if !path.ends_with(&format!("/{PATH}")) {
        url.set_path(&format!("{path}/{PATH}"));
    }
    Some(url)
}

fn header_map(text: &str) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    for pair in text
        .split(',')
        .map(str::trim)
        .filter(|pair| !pair.is_empty())
    {
        let (name, value) = pair.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        let mut value = HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        headers.insert(name.trim().parse::<HeaderName>().ok()?, value);
    }
    Some(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_traces_is_added_once() {
        for (address, expected) in [
            ("http://localhost:4318", "http://localhost:4318/v1/traces"),
            ("http://localhost:4318/", "http://localhost:4318/v1/traces"),
            ("https://a/otlp/", "https://a/otlp/v1/traces"),
            ("https://a/v1/traces", "https://a/v1/traces"),
        ] {
            let collector = Collector::parse(address, "").unwrap();
            assert_eq!(collector.url.as_str(), expected);
        }
        for address in ["", "localhost:4318", "grpc://localhost:4317", "http://"] {
            let error = Collector::parse(address, "").unwrap_err();
            assert_eq!(error, CollectorError::Url(address.to_owned()));
        }
    }

    #[test]
    fn headers_are_pairs() {
        let collector = Collector::parse("http://a", "Api-Key=a%20b, x = y=z,").unwrap();
        assert_eq!(collector.headers["api-key"], "a b");
        assert_eq!(collector.headers["x"], "y=z");
        for headers in ["secret", "a b=c", "a=%00"] {
            let error = Collector::parse("http://a", headers).unwrap_err();
            assert_eq!(error, CollectorError::Headers);
        }
    }
}
