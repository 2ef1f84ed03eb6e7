//! `sluice apps show`

use anyhow::Context;
use clap::Args;
use sluice_api::{App, AppOauth, CustomField};

use super::{
    hints::{authentication, next_steps},
    target::find,
};
use crate::commands::{
    common::Common,
    output::{fields, sanitized, show, show_json, show_stderr},
};

/// Show an app: its fields, its OAuth client, and the next steps
///
/// For an app with OAuth this includes the page of the provider where a client is registered, and the redirect URI to enter there.
#[derive(Debug, Args)]
pub(crate) struct ShowOptions {
    /// Slug of the app
    #[arg(value_name = "SLUG")]
    app: String,
    #[command(flatten)]
    common: Common,
}

pub(super) async fn show_app(options: ShowOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let app = find(&client, &options.app).await?;
    if options.common.json {
        return show_json(&app);
    }
    show(&fields(&lines(&app)?))?;
    Ok(show_stderr(&next_steps(&app))?)
}

fn lines(app: &App) -> anyhow::Result<Vec<(&'static str, String)>> {
    let mut lines = vec![
        ("name", sanitized(&app.name)),
        ("slug", app.name_slug.clone()),
        ("id", app.id.to_string()),
    ];
    let description = app.description.as_deref().map(sanitized);
    lines.extend(description.map(|text| ("description", text)));
    let kind = authentication(app.auth_type, app.oauth.as_ref());
    lines.push(("authentication", kind));
    lines.extend(app.oauth.iter().flat_map(client_lines));
    let custom: Vec<CustomField> = serde_json::from_str(&app.custom_fields_json)
        .context("cannot read the fields of this app")?;
    lines.extend(custom.iter().map(|field| ("field", field_line(field))));
    Ok(lines)
}

/// The lines about the OAuth client of an app.
pub(super) fn client_lines(oauth: &AppOauth) -> Vec<(&'static str, String)> {
    let client_id = oauth.client_id.as_deref().map(sanitized);
    let mut lines = vec![
        (
            "client id",
            client_id.unwrap_or_else(|| "not set up".to_owned()),
        ),
        ("redirect uri", oauth.redirect_uri.clone()),
    ];
    let page = oauth.developer_url.as_deref().map(sanitized);
    lines.extend(page.map(|page| ("developer page", page)));
    if !oauth.scopes.is_empty() {
        lines.push(("scopes", sanitized(&oauth.scopes.join(" "))));
    }
    lines
}

fn field_line(field: &CustomField) -> String {
    let mut notes = Vec::new();
    notes.extend(field.label.clone());
    if field.optional {
        notes.push("optional".to_owned());
    }
    let default = field.default.as_ref();
    notes.extend(default.map(|default| format!("default {default}")));
    notes.extend(field.description.clone());
    let name = &field.name;
    if notes.is_empty() {
        return sanitized(name);
    }
    sanitized(&format!("{name} ({})", notes.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_shown_with_its_label_and_default() {
        let mut field = CustomField {
            name: "region".to_owned(),
            label: None,
            description: None,
            default: None,
            optional: false,
            kind: None,
        };
        assert_eq!(field_line(&field), "region");
        field.label = Some("Region".to_owned());
        field.default = Some("eu".to_owned());
        field.optional = true;
        assert_eq!(field_line(&field), "region (Region; optional; default eu)");
    }
}
