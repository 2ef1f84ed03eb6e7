//! Publishing components: by a user for the account, by the operator for the whole server.

use sluice_engine::EngineError;
use sluice_model::{ComponentId, UserId, is_semantic};
use sluice_store::{
    audit::{Action, TargetKind},
    components::{self, Component},
    registry::{self, Publication, Shelf},
};

use super::{
    apps::apps_of,
    change::change_of,
    input::CodeInput,
    service::{Components, lock_hash},
};

use crate::audit::{Actor, Change, Target};

/// The component to publish.
#[derive(Debug, Clone)]
pub enum PublishInput {
    /// One of the user's saved components.
    Saved(ComponentId),
    Code(CodeInput),
}

impl Components {
    /// Publishes a component under its key. New code is saved in the same transaction, and only if it can be published.
    pub async fn publish(
        &self,
        actor: &Actor,
        target: Shelf,
        input: PublishInput,
    ) -> Result<Component, EngineError> {
        let user = &actor.user_id;
        let action = match &target {
            Shelf::Account(_) => Action::ComponentPublish,
            Shelf::Server => Action::RegistryPublish,
        };
        let (component, is_saved) = match input {
            PublishInput::Saved(id) => (self.saved_component(user, id).await?, true),
            PublishInput::Code(input) => (self.inspect_input(user, input).await?, false),
        };
        let now = self.infra.now_ms();
        let publication = publication(target, &component, None, now)?;
        let row = component.clone();
        let change = change_of(&self.infra, actor, action, &component);
        let published = self.infra.store.write(move |c| {
            let is_new = registry::publish(c, &publication)?;
            if is_new && !is_saved {
                components::insert(c, &row)?;
            }
            if is_new {
                change.record(c)?;
            }
            Ok(is_new)
        });
        if published.await? {
            self.announce_locks(lock_hash(&component));
            Ok(component)
        } else {
            Err(EngineError::Conflict(format!(
                "version {} is already published under this key: publish again under a higher one",
                component.version
            )))
        }
    }

    /// Removes every version of a key from the shelf. Sources and workflows that use them keep running.
    pub async fn unpublish(
        &self,
        actor: &Actor,
        target: Shelf,
        key: String,
    ) -> Result<(), EngineError> {
        let action = match &target {
            Shelf::Account(_) => Action::ComponentUnpublish,
            Shelf::Server => Action::RegistryUnpublish,
        };
        let change = Change::new(
            &self.infra,
            actor,
            action,
            Target::new(TargetKind::Component, "", &key),
        );
        let unpublished = self.infra.store.write(move |c| {
            let unpublished = registry::unpublish(c, &target, &key)?;
            if unpublished {
                change.record(c)?;
            }
            Ok(unpublished)
        });
        if unpublished.await? {
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
        self.infra
            .store
            .read(move |c| components::get(c, &user, &id))
            .await?
            .ok_or(EngineError::NotFound("component"))
    }
}

/// The registry entry of a component, or the reason why it cannot be published. A component of a tree is in the folder of an
/// app.
pub(crate) fn publication(
    shelf: Shelf,
    component: &Component,
    folder: Option<&str>,
    now: i64,
) -> Result<Publication, EngineError> {
    let apps: Vec<&str> = apps_of(&component.shape).collect();
    let key = component.key.as_deref().unwrap_or_default();
    let app = match (&shelf, folder) {
        (Shelf::Account(_), _) => app_of_account(key, &apps),
        (Shelf::Server, Some(folder)) => app_of_tree(key, &apps, folder).map(Some),
        (Shelf::Server, None) => app_of_server(key, &apps).map(Some),
    };
    let app = app.map_err(EngineError::Invalid)?.map(str::to_owned);
    if shelf == Shelf::Server && !is_semantic(&component.version) {
        return Err(EngineError::Invalid(format!(
            "a component of the registry needs a semantic version such as 1.0.0, not {:?}",
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

/// The app of an account's component, if it has one; or the error in its key.
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

/// The app of a component in the folder of an app: the one that its key names, or else that of the folder.
fn app_of_tree<'a>(key: &str, apps: &[&'a str], folder: &'a str) -> Result<&'a str, String> {
    app_of_account(key, &[])?;
    let mut named = apps.iter().copied().chain([folder]);
    Ok(named.find(|app| is_key_of(key, app)).unwrap_or(folder))
}

/// The app of a registry component: its key names it.
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
    fn components_of_a_tree_belong_to_the_app_of_their_key_or_folder() {
        for (key, apps, folder, app) in [
            ("slack-new", &["slack"][..], "slack", "slack"),
            ("slack-new", &["github"], "slack", "slack"),
            ("github-new", &["slack", "github"], "slack", "github"),
            ("new-thing", &["slack"], "slack", "slack"),
            ("_10000ft-new", &[], "_10000ft", "_10000ft"),
            ("http-new-requests", &[], "http", "http"),
        ] {
            assert_eq!(app_of_tree(key, apps, folder), Ok(app), "{key}");
        }
        for key in ["", "a b", "a/b"] {
            assert!(app_of_tree(key, &[], "slack").is_err(), "{key}");
        }
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
