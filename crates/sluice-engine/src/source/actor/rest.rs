//! Events from others need no request that could be refused: when their listener's user has used up the day, they wait for
//! the next.

use std::{sync::Arc, time::Duration};

use sluice_runtime::{LogLevel, LogLine};
use sluice_store::inbox::InboxKind;
use tokio::time::Instant;

use super::Actor;
use crate::quotas::{Exceeded, Standing};

/// While it is found out how the user stands.
const MOMENT: Duration = Duration::from_millis(50);

impl Actor {
    pub(super) fn rest_over_quota(&mut self) {
        if self.rest_until.is_some()
            || !self.context.quotas.are_set()
            || !self.handle.mailbox.next_is(InboxKind::Event)
        {
            return;
        }
        let now = self.context.infra.clock.now_ms();
        let user = &self.definition.source.user_id;
        let rest = match self.context.quotas.standing(user, now) {
            Standing::Within => return,
            Standing::Unknown => {
                let (context, user) = (Arc::clone(&self.context), user.clone());
                tokio::spawn(async move {
                    let _ = context.quotas.check(&context.infra.store, &user, now).await;
                });
                MOMENT
            }
            Standing::Exceeded(Exceeded { what, retry_after }) => {
                let line = LogLine {
                    ts: now,
                    kind: "system".to_owned(),
                    level: LogLevel::Error,
                    message: format!("events wait for the next day: {what} exceeded"),
                };
                self.stray.push((None, line));
                retry_after
            }
        };
        self.rest_until = Some(Instant::now() + rest);
    }
}
