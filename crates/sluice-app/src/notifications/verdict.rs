//! Whether a user is told of the state of a subject.

use sluice_model::{EmitterId, EmitterKind, WebhookId};
use sluice_store::{notification_settings::Rules, subject_health::SubjectHealth};

/// The kind of a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Source,
    Workflow,
    Webhook,
}

impl Kind {
    /// By the prefix of the id. `None` for text that is no id.
    pub(super) fn of(id: &str) -> Option<Kind> {
        if WebhookId::parse(id).is_some() {
            return Some(Kind::Webhook);
        }
        Some(match EmitterId::parse(id)?.kind() {
            EmitterKind::Source(_) => Kind::Source,
            EmitterKind::Workflow(_) => Kind::Workflow,
        })
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Kind::Source => "source",
            Kind::Workflow => "workflow",
            Kind::Webhook => "webhook",
        }
    }
}

/// What is done with a subject that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    ReportFailing,
    ReportRecovered,
    /// It has not failed for long enough.
    WaitForFailing,
    WaitForQuiet,
    /// There is nothing to tell before it changes.
    Settle,
    /// It works, and the user knows that or was never told otherwise.
    Forget,
}

pub(super) fn verdict(subject: &SubjectHealth, rules: &Rules, now: i64) -> Verdict {
    let is_failing = subject.recovered_at.is_none();
    let Some(kind) = Kind::of(&subject.id).filter(|kind| covers(rules, *kind)) else {
        return if is_failing {
            Verdict::Settle
        } else {
            Verdict::Forget
        };
    };
    if is_failing && !subject.reported && !has_failed_enough(subject, kind, rules, now) {
        return match kind {
            Kind::Webhook => Verdict::WaitForFailing,
            Kind::Source | Kind::Workflow => Verdict::Settle,
        };
    }
    match (subject.reported, is_failing) {
        (true, true) => Verdict::Settle,
        _ if is_quiet(subject, rules, now) => Verdict::WaitForQuiet,
        (false, true) => Verdict::ReportFailing,
        (true, false) => Verdict::ReportRecovered,
        (false, false) => Verdict::Forget,
    }
}

fn covers(rules: &Rules, kind: Kind) -> bool {
    match kind {
        Kind::Source => rules.sources,
        Kind::Workflow => rules.workflows,
        Kind::Webhook => rules.webhooks,
    }
}

fn has_failed_enough(subject: &SubjectHealth, kind: Kind, rules: &Rules, now: i64) -> bool {
    match kind {
        Kind::Source | Kind::Workflow => subject.failures >= rules.failures,
        Kind::Webhook => {
            let since = subject.failing_since.min(now);
            now.saturating_sub(since) >= rules.webhook_seconds.saturating_mul(1_000)
        }
    }
}

/// Whether the subject was reported a short while ago. A report from the future is one from now: the clock was set back.
fn is_quiet(subject: &SubjectHealth, rules: &Rules, now: i64) -> bool {
    let quiet_ms = rules.quiet_seconds.saturating_mul(1_000);
    subject
        .reported_at
        .is_some_and(|at| now.saturating_sub(at.min(now)) < quiet_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 10_000_000;
    const HOUR: i64 = 3_600_000;

    fn subject(id: &str, failures: u64) -> SubjectHealth {
        SubjectHealth {
            id: id.to_owned(),
            failures,
            failing_since: NOW - 1_000,
            recovered_at: None,
            reported: false,
            reported_at: None,
        }
    }

    fn verdict(subject: &SubjectHealth) -> Verdict {
        super::verdict(subject, &Rules::default(), NOW)
    }

    #[test]
    fn a_source_is_reported_at_the_threshold() {
        for (failures, expected) in [
            (2, Verdict::Settle),
            (3, Verdict::ReportFailing),
            (90, Verdict::ReportFailing),
        ] {
            assert_eq!(verdict(&subject("dc_a", failures)), expected, "{failures}");
        }
    }

    #[test]
    fn a_webhook_is_reported_when_it_has_failed_for_a_minute() {
        let mut webhook = subject("wh_a", 0);
        assert_eq!(verdict(&webhook), Verdict::WaitForFailing);
        webhook.failing_since = NOW - 60_000;
        assert_eq!(verdict(&webhook), Verdict::ReportFailing);
        // The clock was set back.
        webhook.failing_since = NOW + HOUR;
        assert_eq!(verdict(&webhook), Verdict::WaitForFailing);
    }

    #[test]
    fn a_change_within_the_quiet_period_waits_for_its_end() {
        let mut source = subject("dc_a", 5);
        source.reported = true;
        for (age, expected) in [
            (1, Verdict::WaitForQuiet),
            (HOUR - 1, Verdict::WaitForQuiet),
            (HOUR, Verdict::ReportRecovered),
            (-HOUR, Verdict::WaitForQuiet),
        ] {
            source.reported_at = Some(NOW - age);
            source.recovered_at = None;
            assert_eq!(verdict(&source), Verdict::Settle, "{age}");
            source.recovered_at = Some(NOW);
            assert_eq!(verdict(&source), expected, "{age}");
        }
    }

    #[test]
    fn a_subject_that_works_is_forgotten_after_the_quiet_period() {
        let mut source = subject("dc_a", 5);
        source.recovered_at = Some(NOW);
        assert_eq!(verdict(&source), Verdict::Forget);
        source.reported_at = Some(NOW - 1);
        assert_eq!(verdict(&source), Verdict::WaitForQuiet);
        // It fails again, and the user was told that it works.
        source.recovered_at = None;
        assert_eq!(verdict(&source), Verdict::WaitForQuiet);
        source.reported_at = Some(NOW - HOUR);
        assert_eq!(verdict(&source), Verdict::ReportFailing);
    }

    #[test]
    fn a_kind_that_is_switched_off_is_not_reported() {
        let rules = Rules {
            sources: false,
            workflows: false,
            webhooks: false,
            ..Rules::default()
        };
        for id in ["dc_a", "p_a", "wh_a"] {
            let mut subject = subject(id, 99);
            subject.failing_since = 0;
            assert_eq!(super::verdict(&subject, &rules, NOW), Verdict::Settle);
            subject.recovered_at = Some(NOW);
            assert_eq!(super::verdict(&subject, &rules, NOW), Verdict::Forget);
        }
    }
}
