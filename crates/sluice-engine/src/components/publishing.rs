//! Publishing components: by a user into the account, by the operator for the whole server.

use sluice_model::{ComponentId, UserId, is_semantic};
use sluice_store::{
    components::{self, Component},
    registry::{self, Publication, Shelf},
};

use super::{CodeInput, apps};
use crate::{Engine, error::EngineError};

/// What is to be published.
#[derive(Debug, Clone)]
pub enum ToPublish {
    /// One of the user's saved components.
    Saved(ComponentId),
    Code(CodeInput),
}

impl Engine {
    /// Publishes a component under its key. Code is saved with it, and not at all when it is refused.
    pub async fn publish_component(
        &self,
        user: &UserId,
        place: Shelf,
        what: ToPublish,
    ) -> Result<Component, EngineError> {
        let (component, is_saved) = match what {
            ToPublish::Saved(id) => (self.saved_component(user, id).await?, true),
            ToPublish::Code(input) => (self.inspect_given(user, input).await?, false),
        };
        let now = self.context.infra.clock.now_ms();
        let publication = publication(place, &component, None, now)?;
        let row = component.clone();
        let published = self.context.infra.store.write(move |c| {
            let is_new = registry::publish(c, &publication)?;
            if is_new && !is_saved {
                components::insert(c, &row)?;
            }
            Ok(is_new)
        });
        if published.await? {
            Ok(component)
        } else {
            Err(EngineError::Conflict(format!(
                "version {} is already published under this key: publish again under a higher one",
                component.version
            )))
        }
    }

    /// Takes every version of a key from the shelf. What runs them keeps running.
    pub async fn unpublish_component(&self, place: Shelf, key: String) -> Result<(), EngineError> {
        let unpublished = self
            .context
            .infra
            .store
            .write(move |c| registry::unpublish(c, &place, &key))
            .await?;
        if unpublished {
            Ok(())
        } else {
            Err(EngineError::NotFound("component"))
        }
    }

    async fn saved_component(
        &self,
        user: &UserId,
        id: ComponentId,
    ) -> Result<Component, EngineError> {
        let user = user.clone();
        self.context
            .infra
            .store
            .read(move |c| components::get(c, &user, &id))
            .await?
            .ok_or(EngineError::NotFound("component"))
    }
}

/// What a component is on a shelf, if it may stand there. In a tree it is for the app of its folder too, whatever its props
/// name.
pub(crate) fn publication(
    shelf: Shelf,
    component: &Component,
    folder: Option<&str>,
    now: i64,
) -> Result<Publication, EngineError> {
    let mut apps: Vec<&str> = apps(&component.shape).collect();
    if !apps.is_empty() {
        apps.extend(folder.filter(|folder| !apps.contains(folder)));
    }
    let key = component.key.as_deref().unwrap_or_default();
    let app = match shelf {
        Shelf::Account(_) => app_of_account(key, &apps),
        Shelf::Server => app_of_server(key, &apps).map(Some),
    };
    let app = app.map_err(EngineError::Invalid)?.map(str::to_owned);
    if !is_semantic(&component.version) {
        return Err(EngineError::Invalid(format!(
            "a published component needs a semantic version such as 1.0.0, not {:?}",
            component.version
        )));
    }
    Ok(Publication {
        shelf,
        key: key.to_owned(),
        version: component.version.clone(),
        component_id: component.id.clone(),
        app,
        kind: component.shape.kind,
        name: component.name.clone(),
        description: component.shape.description.clone(),
        published_at: now,
    })
}

/// The app that a component of an account is for, if it is for any; in words, what is wrong with its key.
fn app_of_account<'a>(key: &str, apps: &[&'a str]) -> Result<Option<&'a str>, String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if key.is_empty() || !key.bytes().all(is_plain) {
        return Err(
            "a published component needs a key of letters, digits, - and _, such as key: \"my-component\""
                .to_owned(),
        );
    }
    let named = apps.iter().find(|app| is_key_of(key, app));
    Ok(named.or(apps.first()).copied())
}

/// The app that a component of the registry is for: its key names it.
fn app_of_server<'a>(key: &'a str, apps: &[&'a str]) -> Result<&'a str, String> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let is_word = |part: &str| !part.is_empty() && part.bytes().all(is_plain);
    let Some((word, _)) = key.split_once('-').filter(|_| key.split('-').all(is_word)) else {
        return Err(
            "a component of the registry needs a key of the form <app>-<name>, in lower case"
                .to_owned(),
        );
    };
    if apps.is_empty() {
        return Ok(word);
    }
    let named = apps.iter().find(|app| is_key_of(key, app)).copied();
    named.ok_or_else(|| {
        format!(
            "a component of the registry needs a key of the form <app>-<name>, and {key} does not begin with {}-",
            apps.join("- or ")
        )
    })
}

fn is_key_of(key: &str, app: &str) -> bool {
    key.strip_prefix(app)
        .is_some_and(|rest| rest.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_accounts_are_letters_digits_dashes_and_underscores() {
        for key in ["a", "My_Own-2", "-"] {
            assert_eq!(app_of_account(key, &[]), Ok(None), "{key}");
        }
        for key in ["", "a b", "a/b", "ä", "a.b"] {
            assert!(app_of_account(key, &[]).is_err(), "{key}");
        }
        assert_eq!(app_of_account("x", &["slack", "http"]), Ok(Some("slack")));
        assert_eq!(
            app_of_account("http-x", &["slack", "http"]),
            Ok(Some("http"))
        );
    }

    #[test]
    fn keys_of_the_registry_begin_with_an_app_of_the_component() {
        for (key, apps, app) in [
            ("slack-new-message", &["slack"][..], "slack"),
            (
                "google_sheets-add",
                &["slack", "google_sheets"],
                "google_sheets",
            ),
            ("two-words-name", &["two-words"], "two-words"),
            ("http-new-requests", &[], "http"),
        ] {
            assert_eq!(app_of_server(key, apps), Ok(app), "{key}");
        }
        for (key, apps) in [
            ("slack-new", &["github"][..]),
            ("slackbot-new", &["slack"]),
            ("slack", &["slack"]),
            ("slack-", &["slack"]),
            ("slack--new", &["slack"]),
            ("Slack-new", &[]),
            ("nodash", &[]),
            ("-", &[]),
            ("", &[]),
        ] {
            assert!(app_of_server(key, apps).is_err(), "{key}");
        }
    }
}
