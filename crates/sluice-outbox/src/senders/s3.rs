//! `$.send.s3`: objects in the operator's S3 or a compatible service. Rows that are due in one minute for one bucket and
//! prefix make one object.

use std::{collections::BTreeMap, time::Duration};

use reqwest::{
    Client, Response, StatusCode, Url,
    header::{CONTENT_TYPE, HeaderValue},
    redirect::Policy,
};
use rusty_s3::{Bucket, Credentials, S3Action, UrlStyle};
use sluice_infra::S3Settings;
use sluice_store::sends::SendRow;

use crate::{
    error::OutboxError,
    http_response::{excerpt, is_transient},
    net_guard::root_cause,
    row::{Batch, Outcome},
    s3_object::{self, Object},
    sender::{Attempt, Sender},
    strategy::{Refill, Slot, SlowPeers, Strategy},
};

/// For one object.
const TIMEOUT: Duration = Duration::from_secs(30);
const SIGNATURE_LIFETIME: Duration = Duration::from_mins(5);

pub(crate) struct S3Sender {
    client: Client,
    endpoint: Url,
    region: String,
    credentials: Credentials,
}

/// The rows of one object.
type S3Batch = Batch<SendRow>;

impl Sender<SendRow> for S3Sender {
    fn strategy(&self) -> Strategy {
        Strategy {
            window: s3_object::WINDOW,
            // Rows that are due together are read together, so that they are always packed in the same way.
            refill: Refill::WhenEmpty,
            concurrency: 4,
            per_peer: 4,
            slot: Slot::UntilRecorded,
            slow_peers: SlowPeers::Wait,
        }
    }

    fn prepare(&self, rows: Vec<SendRow>) -> Vec<S3Batch> {
        pack(rows)
    }

    fn attempt<'a>(&'a self, rows: &'a mut [SendRow]) -> Attempt<'a, SendRow> {
        Box::pin(self.write(rows.to_vec()))
    }
}

impl S3Sender {
    pub(crate) fn new(settings: &S3Settings) -> Result<S3Sender, OutboxError> {
        let endpoint = Url::parse(&settings.endpoint).map_err(|error| {
            OutboxError::Setting(format!("--s3-endpoint cannot be used: {error}"))
        })?;
        if !matches!(endpoint.scheme(), "http" | "https") {
            let reason = "--s3-endpoint must begin with http:// or https://";
            return Err(OutboxError::Setting(reason.to_owned()));
        }
        // The address is the operator's own and may be private.
        let client = Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .timeout(TIMEOUT)
            .build()?;
        Ok(S3Sender {
            client,
            endpoint,
            region: settings.region.clone(),
            credentials: Credentials::new(&settings.access_key_id, &settings.secret_access_key),
        })
    }

    async fn write(&self, rows: Vec<SendRow>) -> Outcome<String> {
        let packed = tokio::task::spawn_blocking(move || Object::of(&rows)).await;
        let Object {
            bucket,
            key,
            content,
        } = match packed {
            Ok(Ok(object)) => object,
            Ok(Err(reason)) => return Outcome::failed(reason),
            Err(error) => return Outcome::retry(error.to_string()),
        };
        let style = UrlStyle::Path;
        let bucket = match Bucket::new(self.endpoint.clone(), style, bucket, self.region.clone()) {
            Ok(bucket) => bucket,
            Err(error) => return Outcome::failed(error.to_string()),
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
                Outcome::no_answer(format!("S3 gave no answer within {TIMEOUT:?}"))
            }
            Err(error) => Outcome::no_answer(format!("S3: {}", root_cause(&error))),
        }
    }
}

/// Packs rows into objects: those with one due time, bucket and prefix. The same rows are packed in the same way each time,
/// so that a retry overwrites the same objects.
fn pack(rows: Vec<SendRow>) -> Vec<S3Batch> {
    let mut by_place: BTreeMap<_, Vec<SendRow>> = BTreeMap::new();
    for row in rows {
        let place = (row.due_at, s3_object::place(&row.payload));
        by_place.entry(place).or_default().push(row);
    }
    let mut batches = Vec::new();
    for rows in by_place.into_values() {
        let mut left = rows.into_iter().peekable();
        while left.peek().is_some() {
            let mut bytes = 0;
            let mut object = Vec::new();
            while object.len() < s3_object::MAX_ROWS
                && let Some(row) = left.next_if(|row| {
                    object.is_empty() || bytes + row.payload.len() <= s3_object::MAX_BYTES
                })
            {
                bytes += row.payload.len();
                object.push(row);
            }
            batches.push(Batch {
                rows: object,
                peer: String::new(),
            });
        }
    }
    batches
}

async fn judge(response: Response, key: String) -> Outcome<String> {
    let status = response.status();
    let text = excerpt(response).await;
    if status.is_success() {
        return Outcome::sent(key);
    }
    let report = complaint(status, &text);
    if is_transient(status) {
        Outcome::retry(report)
    } else {
        Outcome::failed(report)
    }
}

/// With the error code, which says more than the status.
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
    use serde_json::json;
    use sluice_model::{EmitId, IdGen, UserId};
    use sluice_store::sends::{SendKind, SendState};

    use super::*;

    fn row(ids: &mut IdGen, prefix: &str, due_at: i64) -> SendRow {
        SendRow {
            id: EmitId::generate(ids, 1),
            step: None,
            user_id: UserId::parse("u_a").unwrap(),
            kind: SendKind::S3,
            state: SendState::Pending,
            due_at: Some(due_at),
            tries: 0,
            result: None,
            created_at: 1,
            updated_at: 1,
            payload: json!({ "bucket": "b", "prefix": prefix, "payload": 1 }).to_string(),
            trace: None,
        }
    }

    #[test]
    fn rows_with_one_due_time_bucket_and_prefix_make_one_object() {
        let mut ids = IdGen::new(1);
        let mut rows = vec![
            row(&mut ids, "a", 60_000),
            row(&mut ids, "b", 60_000),
            row(&mut ids, "a", 60_000),
            row(&mut ids, "a", 120_000),
        ];
        let many = (0..=s3_object::MAX_ROWS).map(|_| row(&mut ids, "many", 120_000));
        rows.extend(many);
        let sizes: Vec<usize> = pack(rows).iter().map(|batch| batch.rows.len()).collect();
        assert_eq!(sizes, [2, 1, 1, s3_object::MAX_ROWS, 1]);
    }

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
