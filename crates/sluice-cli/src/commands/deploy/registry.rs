//! Interactive search of the registry.

use std::sync::Arc;

use sluice_api::Component;

use crate::{
    client::Client,
    commands::{
        component::ComponentName,
        output::{sanitized, show_stderr},
        progress::during,
        prompt::{self, Question, Row},
    },
};

const MAX_RESULTS: &str = "50";

pub(super) async fn pick(client: &Client) -> anyhow::Result<ComponentName> {
    loop {
        let question = Question {
            message: "Search the registry for".to_owned(),
            help: Some(
                "words of a name, a key or an app; Enter lists the newest components".to_owned(),
            ),
            default: None,
        };
        let words = prompt::text(question, Arc::new(|_| None)).await?;
        let query = [
            ("scope", "registry"),
            ("type", "source"),
            ("q", words.as_str()),
            ("limit", MAX_RESULTS),
        ];
        let page = client.page::<Component>("/components", &query);
        let found = during("Searching", page).await?.data;
        let mut rows: Vec<Row<Option<String>>> = found
            .into_iter()
            .filter_map(|component| {
                let key = component.key?;
                Some(Row::new(
                    format!("{key}  {}", sanitized(&component.name)),
                    Some(key),
                ))
            })
            .collect();
        if rows.is_empty() {
            show_stderr("No match in the registry. You can also deploy a file or a URL.\n")?;
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
