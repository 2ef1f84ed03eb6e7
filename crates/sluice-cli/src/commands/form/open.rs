//! Which props still want a value.

use anyhow::bail;
use serde_json::Value;
use sluice_api::{App, AuthType};
use sluice_model::{PropDef, PropType};

use super::{Form, Manner};
use crate::{
    client::{ClientError, escaped},
    commands::{output::harmless, prop_text::text_of},
};

/// More choices than these make no readable flag.
const MOST_CHOICES: usize = 8;

impl Form<'_> {
    /// The first prop that is still to be asked for.
    pub(super) async fn next_question(&mut self) -> Result<Option<PropDef>, ClientError> {
        for prop in self.props.clone() {
            if self.asked.contains(&prop.name) {
                continue;
            }
            let is_open = match self.manner {
                Manner::AskForAll => self.can_be_asked(&prop).await?,
                Manner::AskForMissing | Manner::Alone => {
                    // A schedule is never missing, but worth a question where the code leaves it open.
                    let is_free_timer = prop.prop_type == PropType::Timer
                        && prop.default_value().is_none()
                        && prop.static_value().is_none()
                        && !self.values.contains_key(&prop.name);
                    is_free_timer
                        || prop.prop_type == PropType::Alert
                        || self.is_missing(&prop).await?
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
            return Ok(true);
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

    /// The app of an app prop, if this server knows it.
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

    /// With nobody to ask, everything that is missing is told at once.
    pub(super) async fn complete_or_refuse(&mut self) -> anyhow::Result<()> {
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
            "some props have no value; give them with these flags, or in a file with --props:\n  {}",
            missing.join("\n  ")
        )
    }
}

/// The flag that would give a prop its value.
fn flag_for(prop: &PropDef) -> String {
    let label = prop.declared().get("label").and_then(Value::as_str);
    let label = label.map_or_else(String::new, |label| format!("    {}", harmless(label)));
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
        .filter(|options| options.len() <= MOST_CHOICES);
    if let Some(options) = options {
        let options: Vec<String> = options.into_iter().map(text_of).collect();
        return format!("<{}>", options.join("|"));
    }
    format!("<{prop_type}>")
}
