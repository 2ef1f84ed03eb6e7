//! Why a request came to nothing, and what to do about it.

use std::{error::Error, fmt};

use serde::Deserialize;
use serde_json::{Map, Value};
use sluice_model::workflow::DocumentError;

#[derive(Debug)]
pub(crate) enum ClientError {
    NoKey,
    Unreachable {
        url: String,
        cause: reqwest::Error,
    },
    Refused {
        url: String,
        status: u16,
        body: Box<Refusal>,
    },
    NotUnderstood {
        url: String,
        cause: serde_json::Error,
    },
}

/// The body of an answer that is not a success.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Refusal {
    error: String,
    #[serde(default)]
    details: Map<String, Value>,
    #[serde(default)]
    observations: Vec<Value>,
}

impl ClientError {
    pub(super) fn unreachable(url: &str, cause: reqwest::Error) -> ClientError {
        ClientError::Unreachable {
            url: url.to_owned(),
            cause,
        }
    }

    pub(super) fn refused(url: &str, status: u16, body: &[u8]) -> ClientError {
        let body = serde_json::from_slice(body).unwrap_or_else(|_| Refusal {
            error: format!("the answer was {status}, without a reason"),
            ..Refusal::default()
        });
        ClientError::Refused {
            url: url.to_owned(),
            status,
            body: Box::new(body),
        }
    }

    pub(super) fn not_understood(url: &str, cause: serde_json::Error) -> ClientError {
        ClientError::NotUnderstood {
            url: url.to_owned(),
            cause,
        }
    }

    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self, ClientError::Refused { status: 404, .. })
    }

    /// Whether the same request may well succeed a little later.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            ClientError::Unreachable { .. } => true,
            ClientError::Refused { status, .. } => *status == 429 || *status >= 500,
            ClientError::NoKey | ClientError::NotUnderstood { .. } => false,
        }
    }

    /// What is wrong with values of props, when that is what the server refused; each begins with the name of its prop.
    pub(crate) fn prop_faults(&self) -> Option<Vec<String>> {
        let ClientError::Refused { body, .. } = self else {
            return None;
        };
        serde_json::from_value(body.details.get("configured_props")?.clone()).ok()
    }

    /// What the server found wrong with what was sent, each on its own; none when that is not why it failed.
    pub(crate) fn faults(&self) -> Option<Vec<String>> {
        match self {
            ClientError::Refused {
                status: 400 | 409 | 413 | 422,
                body,
                ..
            } => Some(body.faults()),
            _ => None,
        }
    }

    /// The mistakes of the document that was sent, when that is what the server refused.
    pub(crate) fn document_mistakes(&self) -> Option<Vec<DocumentError>> {
        let ClientError::Refused { body, .. } = self else {
            return None;
        };
        serde_json::from_value(body.details.get("document")?.clone()).ok()
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientError::NoKey => f.write_str(
                "no API key: `sluice login` keeps one, or give --api-key or SLUICE_API_KEY. The server shows the first one at its first start",
            ),
            ClientError::Unreachable { url, cause } => write!(
                f,
                "cannot reach a server at {url}: {}\nStart one with `sluice serve`, or say where it is with --url or SLUICE_URL",
                innermost(cause)
            ),
            ClientError::Refused {
                url, status: 401, ..
            } => write!(
                f,
                "the server at {url} does not know this API key: `sluice login` takes another, or check --api-key or SLUICE_API_KEY"
            ),
            ClientError::Refused { body, .. } => body.fmt(f),
            ClientError::NotUnderstood { url, cause } => write!(
                f,
                "what {url} answered is not an answer of Sluice ({cause}): check --url or SLUICE_URL, and that server and \
                 command are of one version"
            ),
        }
    }
}

impl Error for ClientError {}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.error)?;
        for (field, faults) in self.sentences() {
            for fault in each(faults) {
                write!(f, "\n  {field}: {}", plain(fault))?;
            }
        }
        for observation in &self.observations {
            write!(f, "\n  {}", said(observation))?;
        }
        Ok(())
    }
}

impl Refusal {
    /// The details without `props`, which repeats `configured_props` as data.
    fn sentences(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.details.iter().filter(|(field, _)| *field != "props")
    }

    fn faults(&self) -> Vec<String> {
        let details = self.sentences().flat_map(|(field, faults)| {
            each(faults).iter().map(move |fault| match field.as_str() {
                "component_code" => plain(fault),
                _ => format!("{field}: {}", plain(fault)),
            })
        });
        let observed = self.observations.iter().map(|observation| {
            let stack = observation["err"]["stack"].as_str().unwrap_or_default();
            if stack.is_empty() {
                said(observation)
            } else {
                stack.to_owned()
            }
        });
        let faults: Vec<String> = details.chain(observed).collect();
        if faults.is_empty() {
            vec![self.error.clone()]
        } else {
            faults
        }
    }
}

fn each(faults: &Value) -> &[Value] {
    match faults {
        Value::Array(faults) => faults,
        fault => std::slice::from_ref(fault),
    }
}

/// What a component logged, or the error that it threw.
fn said(observation: &Value) -> String {
    let error = &observation["err"];
    match (&error["name"], &error["message"], observation.get("msg")) {
        (Value::String(name), Value::String(message), _) => format!("{name}: {message}"),
        (_, _, Some(message)) => plain(message),
        _ => plain(observation),
    }
}

/// Text as it is; anything else as JSON.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The client's own words around a cause ("error sending request for url") help nobody.
fn innermost(error: &dyn Error) -> String {
    let mut error = error;
    while let Some(cause) = error.source() {
        error = cause;
    }
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(status: u16, body: &str) -> ClientError {
        ClientError::refused("http://a", status, body.as_bytes())
    }

    #[test]
    fn a_refusal_is_told_with_every_detail() {
        let body = r#"{"error": "record invalid", "details": {"configured_props": ["url is required", "n must be an integer"]}}"#;
        assert_eq!(
            refusal(422, body).to_string(),
            "record invalid\n  configured_props: url is required\n  configured_props: n must be an integer"
        );
        let hook = r#"{"error": "observation error", "observations": [{"msg": "hi"}, {"k": "error", "err": {"name": "Error", "message": "no"}}]}"#;
        assert_eq!(
            refusal(422, hook).to_string(),
            "observation error\n  hi\n  Error: no"
        );
        assert_eq!(
            refusal(502, "<html>").to_string(),
            "the answer was 502, without a reason"
        );
    }

    #[test]
    fn mistakes_of_a_document_are_found_in_a_refusal() {
        let body = r#"{"error": "the document is invalid", "details": {"document": [{"line": 3, "column": 5, "path": "steps", "message": "is empty"}]}}"#;
        let mistakes = refusal(422, body).document_mistakes().unwrap();
        assert_eq!((mistakes[0].line, mistakes[0].column), (3, 5));
        assert_eq!(refusal(404, r#"{"error": "x"}"#).document_mistakes(), None);
    }
}
