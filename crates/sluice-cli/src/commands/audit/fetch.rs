//! Entries of the server.

use sluice_api::{AuditEntry, List};

use crate::client::{Client, ClientError};

const PATH: &str = "/audit";
/// The most entries of one request.
const PAGE: usize = 100;

/// The newest entries, at most `limit` unless that is 0.
pub(super) async fn newest(
    client: &Client,
    query: &[(&str, &str)],
    limit: usize,
) -> Result<Vec<AuditEntry>, ClientError> {
    let mut entries: Vec<AuditEntry> = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let wanted = match limit {
            0 => PAGE,
            limit => (limit - entries.len()).min(PAGE),
        };
        if wanted == 0 {
            return Ok(entries);
        }
        let count = wanted.to_string();
        let mut page = query.to_vec();
        page.push(("limit", &count));
        page.extend(after.as_deref().map(|cursor| ("after", cursor)));
        let List { page_info, data } = client.page(PATH, &page).await?;
        entries.extend(data);
        match page_info.end_cursor {
            Some(cursor) => after = Some(cursor),
            None => return Ok(entries),
        }
    }
}
