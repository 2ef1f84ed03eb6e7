//! The removal of users.

use sluice_engine::EngineError;
use sluice_model::UserId;
use sluice_store::{
    Page, StoreError,
    audit::Action,
    users::{self, EmitterCounts, User},
};

use super::{Users, last_operator};
use crate::{audit::Actor, detached};

/// Webhooks and accounts that are read at once when a user is removed.
const REMOVAL_BATCH: u32 = 100;

impl Users {
    /// Removes a user with webhooks and accounts. Sources and workflows must be deleted before: they may have hooks to run. The
    /// last operator cannot be removed.
    pub async fn delete(&self, actor: &Actor, user: &UserId) -> Result<(), EngineError> {
        let id = user.clone();
        let (found, running, operators) = self
            .infra
            .store
            .read(move |c| {
                let operators = users::operators(c)?;
                Ok::<_, StoreError>((users::get(c, &id)?, users::running(c, &id)?, operators))
            })
            .await?;
        let found = found.ok_or(EngineError::NotFound("user"))?;
        must_be_idle(running)?;
        if found.operator && operators == 1 {
            return Err(last_operator());
        }
        let (users, actor) = (self.clone(), actor.clone());
        detached::run(&self.infra.shutdown, async move {
            users.tear_down(&actor, &found).await
        })
        .await
    }

    /// The webhooks and accounts leave entries of their own.
    async fn tear_down(&self, actor: &Actor, found: &User) -> Result<(), EngineError> {
        let user = &found.id;
        let newest = Page {
            limit: REMOVAL_BATCH,
            after: None,
            before: None,
        };
        loop {
            let webhooks = self.webhooks.list(user, None, newest.clone()).await?.rows;
            let accounts = self.accounts.list(user, None, newest.clone()).await?.rows;
            if webhooks.is_empty() && accounts.is_empty() {
                break;
            }
            for webhook in webhooks {
                ignore_missing(self.webhooks.delete_of(user, actor, &webhook.id).await)?;
            }
            for view in accounts {
                ignore_missing(self.accounts.delete_of(user, actor, &view.account.id).await)?;
            }
        }
        let deleted = self.change(actor, Action::UserDelete, found);
        let id = user.clone();
        let (running, is_last_operator) = self
            .infra
            .store
            .write(move |c| {
                let operators = users::lock_operators(c)?;
                // Waits for requests that are creating a source or a workflow, and then sees it.
                users::hold(c, &id)?;
                let running = users::running(c, &id)?;
                let user = users::get(c, &id)?;
                let is_last = operators == 1 && user.is_some_and(|user| user.operator);
                if running == EmitterCounts::default() && !is_last {
                    users::remove(c, &id)?;
                    deleted.record(c)?;
                }
                Ok::<_, StoreError>((running, is_last))
            })
            .await?;
        must_be_idle(running)?;
        if is_last_operator {
            return Err(last_operator());
        }
        self.streams.close_traffic(user);
        Ok(())
    }
}

fn must_be_idle(running: EmitterCounts) -> Result<(), EngineError> {
    let EmitterCounts { sources, workflows } = running;
    if running == EmitterCounts::default() {
        return Ok(());
    }
    let counted = |count: u64, noun: &str| match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    };
    Err(EngineError::Conflict(format!(
        "the user still has {} and {}: they must be deleted first",
        counted(sources, "source"),
        counted(workflows, "workflow")
    )))
}

/// A concurrent request may have removed it.
fn ignore_missing(removed: Result<(), EngineError>) -> Result<(), EngineError> {
    match removed {
        Err(EngineError::NotFound(_)) => Ok(()),
        other => other,
    }
}
