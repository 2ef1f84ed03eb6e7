//! Test messages: sent at once, for a user who waits for the result.

use std::time::Duration;

use futures_util::future::try_join_all;
use sluice_engine::EngineError;
use sluice_infra::MS_PER_HOUR;
use sluice_outbox::SendResult;
use sluice_store::{
    Conn, StoreError,
    notification_settings::{self, Tests},
    sends::SendKind,
    users::{self, User},
};

use super::{
    manage::Notifications,
    message::test_payload,
    recipients::{Recipients, send},
};

/// A user could have the server send mail to anyone.
const MAX_PER_HOUR: u32 = 10;

/// The results; none for a way that is off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TestResults {
    pub mail: Option<SendResult>,
    pub webhook: Option<SendResult>,
}

impl Notifications {
    /// Sends a test message in each way that is on. It is not retried.
    pub async fn test(&self, user: &User) -> Result<TestResults, EngineError> {
        let kinds = self.begin_test(user).await?;
        if kinds.is_empty() {
            return Err(EngineError::BadRequest(
                "no notification can be sent: switch mail on, if the server can send it, or set webhook_url".to_owned(),
            ));
        }
        let tests = kinds.into_iter().map(|kind| self.test_one(user, kind));
        let mut results = TestResults::default();
        for (kind, result) in try_join_all(tests).await? {
            match kind {
                SendKind::NotificationEmail => results.mail = Some(result),
                _ => results.webhook = Some(result),
            }
        }
        Ok(results)
    }

    /// Counts the test and returns the ways that are on.
    async fn begin_test(&self, user: &User) -> Result<Vec<SendKind>, EngineError> {
        let (infra, user, now) = (self.infra.clone(), user.clone(), self.infra.now_ms());
        let begin = move |c: &mut dyn Conn| {
            users::hold(c, &user.id)?;
            let settings = notification_settings::hold(c, &user.id)?;
            let kinds = Recipients::new(&infra, &user, &settings).kinds();
            let tests = notification_settings::tests(c, &user.id)?;
            let next = next_test(tests, now);
            if let (Ok(next), false) = (next, kinds.is_empty()) {
                notification_settings::set_tests(c, &user.id, next)?;
            }
            Ok::<_, StoreError>(next.map(|_| kinds))
        };
        let kinds = self.infra.store.write(begin).await?;
        kinds.map_err(|retry_after| EngineError::QuotaExceeded {
            quota: "the limit of test messages for each hour",
            retry_after,
        })
    }

    async fn test_one(
        &self,
        user: &User,
        kind: SendKind,
    ) -> Result<(SendKind, SendResult), EngineError> {
        let (id, now) = (self.infra.ids.emit(), self.infra.now_ms());
        let public_url = &self.infra.settings.public_url;
        let payload = test_payload(kind, now, &user.username, public_url);
        let row = send(id, &user.id, kind, now, payload);
        let busy = || EngineError::Busy("too many test messages are being sent".to_owned());
        let result = self.outbox.try_send(row).await.ok_or_else(busy)?;
        Ok((kind, result))
    }
}

/// The count with another test, or the time to wait for it.
fn next_test(tests: Tests, now: i64) -> Result<Tests, Duration> {
    let age = now.saturating_sub(tests.since);
    if !(0..MS_PER_HOUR).contains(&age) {
        return Ok(Tests {
            count: 1,
            since: now,
        });
    }
    if tests.count < MAX_PER_HOUR {
        return Ok(Tests {
            count: tests.count + 1,
            ..tests
        });
    }
    let left = u64::try_from(MS_PER_HOUR - age).unwrap_or(0);
    Err(Duration::from_millis(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_ten_tests_in_an_hour() {
        let mut tests = Tests::default();
        for _ in 0..MAX_PER_HOUR {
            tests = next_test(tests, MS_PER_HOUR).unwrap();
        }
        let wait = next_test(tests, MS_PER_HOUR + 1_000).unwrap_err();
        assert_eq!(wait, Duration::from_secs(3_599));
        assert_eq!(next_test(tests, 2 * MS_PER_HOUR).unwrap().count, 1);
        // The clock was set back.
        assert_eq!(next_test(tests, 0).unwrap().count, 1);
    }
}
