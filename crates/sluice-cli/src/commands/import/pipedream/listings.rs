//! The lists of an account: sources, webhooks, subscriptions and connected accounts.
//!
//! Each list is read for the user and for the workspaces. Rows that are in several lists are kept once.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::{
    api::{Api, ApiError, List},
    report::{Kind, Report},
};
use crate::client::escaped;

const ACCOUNTS: &str = "/accounts";
/// An older path of the same list.
const ACCOUNTS_OF_USER: &str = "/users/me/accounts";

#[derive(Debug, Default)]
pub(super) struct Listings {
    /// Oldest first.
    pub(super) sources: Vec<SourceRow>,
    /// Oldest first.
    pub(super) webhooks: Vec<WebhookRow>,
    pub(super) subscriptions: Vec<SubscriptionRow>,
    pub(super) accounts: Vec<AccountRow>,
}

#[derive(Debug, Deserialize)]
pub(super) struct SourceRow {
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) active: Option<bool>,
    pub(super) component_id: Option<String>,
    pub(super) component_key: Option<String>,
    pub(super) configured_props: Option<Map<String, Value>>,
    created_at: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct WebhookRow {
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    pub(super) url: String,
    pub(super) active: Option<bool>,
    created_at: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct SubscriptionRow {
    pub(super) id: String,
    pub(super) emitter_id: String,
    pub(super) listener_id: String,
    pub(super) event_name: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct AccountRow {
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) app: Option<AppRow>,
}

#[derive(Debug, Deserialize)]
pub(super) struct AppRow {
    pub(super) name: Option<String>,
    pub(super) name_slug: Option<String>,
}

impl SourceRow {
    /// A trigger of a workflow that is a source.
    pub(super) fn of_trigger(trigger: &Value) -> Option<SourceRow> {
        let row: SourceRow = serde_json::from_value(trigger.clone()).ok()?;
        let is_source = row.id.starts_with("dc_") && row.component_id.is_some();
        is_source.then_some(row)
    }

    /// The name, or the id for one without a name.
    pub(super) fn shown_name(&self) -> String {
        shown(self.name.as_deref(), &self.id)
    }

    pub(super) fn order(&self) -> (i64, String) {
        order(self.created_at.as_ref(), &self.id)
    }
}

impl Listings {
    pub(super) async fn fetch(
        api: &Api,
        org: Option<&str>,
        report: &mut Report,
    ) -> Result<Listings, ApiError> {
        let user = api.find("/users/me").await?;
        let orgs = match org {
            Some(org) => vec![org.to_owned()],
            None => user.as_ref().map(orgs_of).unwrap_or_default(),
        };
        let paths = Paths {
            orgs,
            with_user: org.is_none(),
        };
        let mut reader = Reader { api, report };
        let mut sources: Vec<SourceRow> = reader
            .rows(
                "sources",
                &paths.of("/users/me/sources", "/orgs/{}/sources"),
            )
            .await?;
        sources.sort_by_key(SourceRow::order);
        let mut webhooks: Vec<WebhookRow> = reader
            .rows(
                "webhooks",
                &paths.of("/users/me/webhooks", "/users/me/webhooks?org_id={}"),
            )
            .await?;
        webhooks.sort_by_key(|row| order(row.created_at.as_ref(), &row.id));
        let subscriptions = reader
            .rows(
                "subscriptions",
                &paths.of("/users/me/subscriptions", "/workspaces/{}/subscriptions"),
            )
            .await?;
        let accounts = reader
            .rows("accounts", &paths.of(ACCOUNTS, "/workspaces/{}/accounts"))
            .await?;
        Ok(Listings {
            sources: unique(sources, |row| &row.id),
            webhooks: unique(webhooks, |row| &row.id),
            subscriptions: unique(subscriptions, |row: &SubscriptionRow| &row.id),
            accounts: unique(accounts, |row: &AccountRow| &row.id),
        })
    }
}

/// The workspaces whose lists are read, and whether those of the user are read too.
struct Paths {
    orgs: Vec<String>,
    with_user: bool,
}

impl Paths {
    fn of(&self, user: &str, org: &str) -> Vec<String> {
        let of_orgs = self.orgs.iter().map(|id| org.replace("{}", &escaped(id)));
        let of_user = self.with_user.then(|| user.to_owned());
        of_user.into_iter().chain(of_orgs).collect()
    }
}

struct Reader<'a> {
    api: &'a Api,
    report: &'a mut Report,
}

impl Reader<'_> {
    async fn list(&self, path: &str) -> Result<List, ApiError> {
        match self.api.list(path).await? {
            List::Missing(_) if path == ACCOUNTS => self.api.list(ACCOUNTS_OF_USER).await,
            list => Ok(list),
        }
    }

    /// The rows of several lists. Lists that do not exist and rows of another form are reported.
    async fn rows<T: DeserializeOwned>(
        &mut self,
        noun: &str,
        paths: &[String],
    ) -> Result<Vec<T>, ApiError> {
        let mut rows = Vec::new();
        for path in paths {
            match self.list(path).await? {
                List::Missing(status) => {
                    let text = format!("the API has no list of {noun} there (status {status})");
                    self.report.add(Kind::NotImported, path, text);
                }
                List::Rows(values) => {
                    for value in values {
                        match serde_json::from_value(value) {
                            Ok(row) => rows.push(row),
                            Err(error) => {
                                let text = format!("a row of the {noun} is not readable: {error}");
                                self.report.add(Kind::NotImported, path, text);
                            }
                        }
                    }
                }
            }
        }
        Ok(rows)
    }
}

fn orgs_of(user: &Value) -> Vec<String> {
    let user = user.get("data").unwrap_or(user);
    let orgs = user.get("orgs").and_then(Value::as_array);
    let ids = orgs.into_iter().flatten();
    let ids = ids.filter_map(|org| org.get("id")?.as_str());
    ids.map(str::to_owned).collect()
}

fn unique<T>(rows: Vec<T>, id: impl Fn(&T) -> &String) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for row in rows {
        if !kept.iter().any(|other| id(other) == id(&row)) {
            kept.push(row);
        }
    }
    kept
}

/// By time, then by id, so that the result does not depend on the order of a response.
fn order(created_at: Option<&Value>, id: &str) -> (i64, String) {
    let time = created_at.and_then(Value::as_i64).unwrap_or_default();
    (time, id.to_owned())
}

/// A name on one line, or the id if there is none.
pub(super) fn shown(name: Option<&str>, id: &str) -> String {
    let name = name.unwrap_or_default();
    let words: Vec<&str> = name
        .split(|character: char| character.is_control() || character.is_whitespace())
        .filter(|word| !word.is_empty())
        .collect();
    if words.is_empty() {
        id.to_owned()
    } else {
        words.join(" ")
    }
}

/// The `id` of a JSON object.
pub(super) fn id_of(value: &Value) -> Option<&str> {
    value.get("id").and_then(Value::as_str)
}
