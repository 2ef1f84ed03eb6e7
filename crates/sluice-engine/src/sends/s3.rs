//! `$.send.s3`: objects in the operator's S3 or what is compatible with it.

use std::time::Duration;

use reqwest::{
    Client, Response, StatusCode, Url,
    header::{CONTENT_TYPE, HeaderValue},
    redirect::Policy,
};
use rusty_s3::{Bucket, Credentials, S3Action, UrlStyle};
use sluice_infra::S3Settings;
use sluice_store::sends::SendRow;

use super::{
    outcome::{Outcome, is_passing},
    s3_object::Object,
};
use crate::{delivery::beginning, net_guard::root_cause};

/// For one object.
const TIMEOUT: Duration = Duration::from_secs(30);
const SIGNATURE_LIFETIME: Duration = Duration::from_mins(5);

pub(super) struct S3Writer {
    client: Client,
    endpoint: Url,
    region: String,
    credentials: Credentials,
}

impl S3Writer {
    pub(super) fn new(settings: &S3Settings) -> Result<S3Writer, String> {
        let endpoint = Url::parse(&settings.endpoint)
            .map_err(|error| format!("--s3-endpoint cannot be used: {error}"))?;
        if !matches!(endpoint.scheme(), "http" | "https") {
            return Err("--s3-endpoint must begin with http:// or https://".to_owned());
        }
        // The address is the operator's own, and may be a private one.
        let client = Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .timeout(TIMEOUT)
            .build()
            .map_err(|error| error.to_string())?;
        Ok(S3Writer {
            client,
            endpoint,
            region: settings.region.clone(),
            credentials: Credentials::new(&settings.access_key_id, &settings.secret_access_key),
        })
    }

    /// Writes rows for one place as one object.
    pub(super) async fn write(&self, rows: &[SendRow]) -> Outcome {
        let rows = rows.to_vec();
        let made = tokio::task::spawn_blocking(move || Object::of(&rows)).await;
        let object = match made {
            Ok(Ok(object)) => object,
            Ok(Err(why)) => return Outcome::Failed(why),
            Err(error) => return Outcome::again(error.to_string()),
        };
        let Object {
            bucket,
            key,
            content,
        } = object;
        let style = UrlStyle::Path;
        let bucket = match Bucket::new(self.endpoint.clone(), style, bucket, self.region.clone()) {
            Ok(bucket) => bucket,
            Err(error) => return Outcome::Failed(error.to_string()),
        };
        let put = bucket.put_object(Some(&self.credentials), &key);
        let request = self
            .client
            .put(put.sign(SIGNATURE_LIFETIME))
            .header(CONTENT_TYPE, HeaderValue::from_static("application/gzip"))
            .body(content);
        match request.send().await {
            Ok(response) => judge(response, key).await,
            // Without the address, which holds a signature.
            Err(error) if error.is_timeout() => {
                Outcome::again(format!("S3 gave no answer within {TIMEOUT:?}"))
            }
            Err(error) => Outcome::again(format!("S3: {}", root_cause(&error))),
        }
    }
}

async fn judge(response: Response, key: String) -> Outcome {
    let status = response.status();
    let answer = beginning(response).await;
    if status.is_success() {
        return Outcome::Sent(key);
    }
    let why = complaint(status, &answer);
    if is_passing(status) {
        Outcome::again(why)
    } else {
        Outcome::Failed(why)
    }
}

/// With the code of the error, which says more than the status.
fn complaint(status: StatusCode, answer: &str) -> String {
    let code = answer
        .split_once("<Code>")
        .and_then(|(_, rest)| rest.split_once("</Code>"));
    match code {
        Some((code, _)) => format!("S3 answered {status}: {code}"),
        None => format!("S3 answered {status}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_code_of_s3() {
        let answer = "<?xml?><Error><Code>NoSuchBucket</Code><Message>x</Message></Error>";
        assert_eq!(
            complaint(StatusCode::NOT_FOUND, answer),
            "S3 answered 404 Not Found: NoSuchBucket"
        );
        assert_eq!(
            complaint(StatusCode::FORBIDDEN, "<html>"),
            "S3 answered 403 Forbidden"
        );
    }
}
