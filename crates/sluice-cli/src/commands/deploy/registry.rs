//! Finding a component in the registry, when none is named.

use std::sync::Arc;

use sluice_api::Component;

use crate::{
    client::Client,
    commands::{
        component::ComponentName,
        output::{complain, harmless},
        progress::during,
        prompt::{self, Question, Row},
    },
};

const SHOWN: &str = "50";

pub(super) async fn pick(client: &Client) -> anyhow::Result<ComponentName> {
    loop {
        let question = Question {
            message: "Search the registry for".to_owned(),
            help: Some("words of a name, a key or an app; Enter shows the newest".to_owned()),
            default: None,
        };
        let words = prompt::text(question, Arc::new(|_| None)).await?;
        let query = [
            ("scope", "registry"),
            ("type", "source"),
            ("q", words.as_str()),
            ("limit", SHOWN),
        ];
        let found = client.page::<Component>("/components", &query);
        let found = during("Searching", found).await?.data;
        let mut rows: Vec<Row<Option<String>>> = found
            .into_iter()
            .filter_map(|component| {
                let key = component.key?;
                Some(Row::new(
                    format!("{key}  {}", harmless(&component.name)),
                    Some(key),
                ))
            })
            .collect();
        if rows.is_empty() {
            complain(
                "The registry has nothing like that; a file or an address can be deployed too\n",
            )?;
            continue;
        }
        rows.push(Row::fixed("Search again…", None));
        let question = Question {
            message: "Component".to_owned(),
            ..Question::default()
        };
        if let Some(key) = prompt::pick(question, rows, 0).await? {
            return Ok(ComponentName::Key(key));
        }
    }
}
