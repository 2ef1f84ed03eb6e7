//! Props without a value, and the error that lists them.

use anyhow::bail;
use serde_json::Value;
use sluice_api::{App, AuthType};
use sluice_model::{PropDef, PropType};

use super::fill::{Form, PromptMode};
use crate::{
    client::{ClientError, escaped},
    commands::{output::sanitized, prop_text::text_of},
};

/// Longer lists of options are left out of the suggested flag.
const MAX_OPTIONS_SHOWN: usize = 8;

impl Form<'_> {
    /// The next prop to ask for.
    pub(super) async fn next_question(&mut self) -> Result<Option<PropDef>, ClientError> {
        for prop in self.props.clone() {
            if self.asked.contains(&prop.name) {
                continue;
            }
            let is_open = match self.mode {
                PromptMode::All => self.can_be_asked(&prop).await?,
                PromptMode::Missing | PromptMode::Never => {
                    // A timer has a default schedule, but the user is asked if the code declares none.
                    let is_undeclared_timer = prop.prop_type == PropType::Timer
                        && prop.default_value().is_none()
                        && prop.static_value().is_none()
                        && !self.values.contains_key(&prop.name);
                    let is_shown_alert =
                        prop.prop_type == PropType::Alert && !prop.cannot_be_filled_in();
                    is_undeclared_timer || is_shown_alert || self.is_missing(&prop).await?
                }
            };
            if is_open {
                return Ok(Some(prop));
            }
        }
        Ok(None)
    }

    async fn can_be_asked(&mut self, prop: &PropDef) -> Result<bool, ClientError> {
        if prop.prop_type == PropType::Alert {
            return Ok(!prop.cannot_be_filled_in());
        }
        if prop.prop_type == PropType::App {
            return self.needs_account(prop).await;
        }
        Ok(!prop.prop_type.takes_no_value()
            && !prop.cannot_be_filled_in()
            && prop.static_value().is_none())
    }

    async fn is_missing(&mut self, prop: &PropDef) -> Result<bool, ClientError> {
        let has_value = self
            .values
            .get(&prop.name)
            .is_some_and(|value| !value.is_null());
        if has_value
            || prop.is_optional()
            || prop.default_value().is_some()
            || prop.prop_type == PropType::Timer
        {
            return Ok(false);
        }
        self.can_be_asked(prop).await
    }

    async fn needs_account(&mut self, prop: &PropDef) -> Result<bool, ClientError> {
        let app = self.app(prop).await?;
        Ok(app.is_some_and(|app| app.auth_type != AuthType::None))
    }

    /// The app of an app prop, if the server has it.
    pub(super) async fn app(&mut self, prop: &PropDef) -> Result<Option<App>, ClientError> {
        let Some(slug) = prop.app() else {
            return Ok(None);
        };
        if let Some(app) = self.apps.get(slug) {
            return Ok(app.clone());
        }
        let app: Option<App> = self
            .client
            .find(&format!("/apps/{}", escaped(slug)))
            .await?;
        self.apps.insert(slug.to_owned(), app.clone());
        Ok(app)
    }

    /// Without prompts, fails with a list of all missing props.
    pub(super) async fn require_complete(&mut self) -> anyhow::Result<()> {
        let mut missing = Vec::new();
        for prop in self.props.clone() {
            if self.is_missing(&prop).await? {
                missing.push(flag_for(&prop));
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        bail!(
            "required props have no value: set them with these flags, or with --props FILE:\n  {}",
            missing.join("\n  ")
        )
    }
}

/// The flag that sets a prop.
fn flag_for(prop: &PropDef) -> String {
    let label = prop.declared().get("label").and_then(Value::as_str);
    let label = label.map_or_else(String::new, |label| format!("    {}", sanitized(label)));
    match (&prop.prop_type, prop.app()) {
        (PropType::App, Some(app)) => format!("--account {app}=ACCOUNT{label}"),
        (prop_type, _) => format!(
            "--prop {}={}{label}",
            prop.name,
            placeholder(prop, prop_type)
        ),
    }
}

fn placeholder(prop: &PropDef, prop_type: &PropType) -> String {
    let options = prop
        .options()
        .filter(|options| options.len() <= MAX_OPTIONS_SHOWN);
    if let Some(options) = options {
        let options: Vec<String> = options.into_iter().map(text_of).collect();
        return format!("<{}>", options.join("|"));
    }
    format!("<{prop_type}>")
}
