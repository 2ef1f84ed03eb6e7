//! The running invocations of one process and their effects so far.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    time::{Duration, Instant},
};

use serde_json::value::RawValue;
use sluice_model::InvocationId;

use crate::{
    outcome::{Call, Emit, Failure, LogLine, Outcome, Unfinished, Writes},
    protocol::End,
    report_limits::{ReportLimits, Reported, export_bytes, inputs_bytes, write_bytes},
    step::{Flow, Send},
    step_report::StepReport,
    unstored::UnstoredShare,
};

/// A held end is reported together with the last end that it waits for. Held ends that wait for nothing are not the harness's.
const HELD_GRACE: Duration = Duration::from_secs(3);

pub(crate) struct Inflight {
    limits: ReportLimits,
    running: HashMap<InvocationId, Partial>,
    /// What all of them have reported.
    unstored: UnstoredShare,
    /// Time of those that ended since it was asked for.
    ended_time: Duration,
    /// Since when all of them are held, so that none waits for another.
    all_held_since: Option<Instant>,
    /// No invocation begins any more.
    is_closed: bool,
}

struct Partial {
    emits: Vec<Emit>,
    /// Only for a step.
    step: Option<StepReport>,
    size: Size,
    replied: bool,
    logs: Vec<LogLine>,
    /// Writes so far. The end reports all writes again, so these only count if the invocation never ends.
    writes: BTreeMap<String, Option<Box<RawValue>>>,
    /// When it ended, if its end is reported after those of others.
    held_since: Option<Instant>,
    overdue_at: Instant,
    started_at: Instant,
    /// Its time until then was reported.
    charged_until: Instant,
}

impl Partial {
    /// Its time so far, and the part of it that was not reported before. From now on it is.
    fn take_time(&mut self, now: Instant) -> (Duration, Duration) {
        let end = self.held_since.unwrap_or(now);
        let uncharged = end.saturating_duration_since(self.charged_until);
        self.charged_until = end;
        (end - self.started_at, uncharged)
    }
}

/// The size of what an invocation has reported, in bytes.
#[derive(Default)]
struct Size {
    effects: usize,
    logs: usize,
    writes: usize,
}

impl Size {
    fn sum(&self) -> usize {
        self.effects + self.logs + self.writes
    }
}

/// A limit on reports that was exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exceeded {
    Effects,
    Logs,
    Writes,
    Together,
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Exceeded::Effects => "one invocation reported too many events, exports or sends",
            Exceeded::Logs => "one invocation reported too many log lines",
            Exceeded::Writes => "one invocation reported too many writes",
            Exceeded::Together => "its invocations reported too much together",
        })
    }
}

impl Inflight {
    pub(crate) fn new(limits: ReportLimits, unstored: UnstoredShare) -> Inflight {
        Inflight {
            limits,
            running: HashMap::new(),
            unstored,
            ended_time: Duration::ZERO,
            all_held_since: None,
            is_closed: false,
        }
    }

    /// From now on no invocation begins.
    pub(crate) fn close(&mut self) {
        self.is_closed = true;
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// Whether an invocation has been running for at least so long.
    pub(crate) fn has_run_for(&self, time: Duration, now: Instant) -> bool {
        let mut running = self.running.values();
        running.any(|one| now.saturating_duration_since(one.started_at) >= time)
    }

    pub(crate) fn begin(
        &mut self,
        id: InvocationId,
        call: Call,
        now: Instant,
        allowance: Duration,
    ) {
        self.running.insert(
            id,
            Partial {
                emits: Vec::new(),
                step: (call == Call::Step).then(StepReport::default),
                size: Size::default(),
                replied: false,
                logs: Vec::new(),
                writes: BTreeMap::new(),
                held_since: None,
                overdue_at: now + allowance,
                started_at: now,
                charged_until: now,
            },
        );
        self.all_held_since = None;
    }

    /// Whether this is the first response of a running invocation.
    pub(crate) fn replied(&mut self, id: &InvocationId, bytes: usize) -> Result<bool, Exceeded> {
        let mut is_first = false;
        self.keep_effect(id, bytes, |partial| {
            is_first = !std::mem::replace(&mut partial.replied, true);
        })?;
        Ok(is_first)
    }

    /// Whether running invocations have reported something.
    pub(crate) fn has_reports(&self) -> bool {
        self.unstored.bytes() > 0
    }

    /// Whether it can still report something.
    pub(crate) fn is_running(&self, id: &InvocationId) -> bool {
        self.running
            .get(id)
            .is_some_and(|partial| partial.held_since.is_none())
    }

    fn reporting(&mut self, id: &InvocationId) -> Option<&mut Partial> {
        self.running
            .get_mut(id)
            .filter(|partial| partial.held_since.is_none())
    }

    pub(crate) fn emitted(&mut self, id: &InvocationId, emit: Emit) -> Result<(), Exceeded> {
        let bytes = emit.bytes();
        self.keep_effect(id, bytes, |partial| partial.emits.push(emit))
    }

    pub(crate) fn resolved(
        &mut self,
        id: &InvocationId,
        inputs: Box<RawValue>,
    ) -> Result<(), Exceeded> {
        let bytes = inputs_bytes(&inputs);
        self.keep_effect(id, bytes, |partial| {
            if let Some(step) = &mut partial.step {
                step.inputs = Some(inputs);
            }
        })
    }

    pub(crate) fn exported(
        &mut self,
        id: &InvocationId,
        name: String,
        value: Box<RawValue>,
    ) -> Result<(), Exceeded> {
        let bytes = export_bytes(&name, &value);
        self.keep_effect(id, bytes, |partial| {
            if let Some(step) = &mut partial.step {
                step.exports.insert(name, value);
            }
        })
    }

    pub(crate) fn sent(&mut self, id: &InvocationId, send: Send) -> Result<(), Exceeded> {
        let bytes = send.bytes();
        self.keep_effect(id, bytes, |partial| {
            if let Some(step) = &mut partial.step {
                step.sends.push(send);
            }
        })
    }

    fn keep_effect(
        &mut self,
        id: &InvocationId,
        bytes: usize,
        keep: impl FnOnce(&mut Partial),
    ) -> Result<(), Exceeded> {
        let limit = self.limits.effects;
        let Some(partial) = self.reporting(id) else {
            return Ok(());
        };
        partial.size.effects += bytes;
        let exceeded = (partial.size.effects > limit).then_some(Exceeded::Effects);
        keep(partial);
        self.unstored.add(bytes);
        self.check(exceeded)
    }

    /// Returns the line if it belongs to no running invocation.
    pub(crate) fn logged(
        &mut self,
        id: Option<&InvocationId>,
        line: LogLine,
    ) -> Result<Option<LogLine>, Exceeded> {
        let limit = self.limits.logs;
        let Some(partial) = self.logging(id) else {
            return Ok(Some(line));
        };
        let bytes = line.bytes();
        partial.size.logs += bytes;
        let exceeded = (partial.size.logs > limit).then_some(Exceeded::Logs);
        partial.logs.push(line);
        self.unstored.add(bytes);
        self.check(exceeded).map(|()| None)
    }

    /// The invocation that a line belongs to. A line of nobody belongs to the only one.
    fn logging(&mut self, id: Option<&InvocationId>) -> Option<&mut Partial> {
        match id {
            Some(id) => self.running.get_mut(id),
            None if self.running.len() == 1 => self.running.values_mut().next(),
            None => None,
        }
    }

    /// Keeps a printed line, unless it is too much. Returns it if it belongs to no running invocation.
    pub(crate) fn printed(&mut self, line: LogLine) -> Option<LogLine> {
        let (bytes, limit) = (line.bytes(), self.limits.logs);
        let has_room = |partial: &Partial| partial.size.logs + bytes <= limit;
        if self.logging(None).is_some_and(|partial| !has_room(partial)) {
            return None;
        }
        self.logged(None, line).unwrap_or_default()
    }

    pub(crate) fn wrote(&mut self, id: &InvocationId, writes: Writes) -> Result<(), Exceeded> {
        let limit = self.limits.writes;
        let Some(partial) = self.reporting(id) else {
            return Ok(());
        };
        let before = partial.size.writes;
        for (key, value) in writes {
            partial.size.writes += write_bytes(&key, value.as_deref());
            let name = key.clone();
            if let Some(replaced) = partial.writes.insert(key, value) {
                partial.size.writes -= write_bytes(&name, replaced.as_deref());
            }
        }
        let after = partial.size.writes;
        self.unstored.replace(before, after);
        self.check((after > limit).then_some(Exceeded::Writes))
    }

    /// An exceeded limit of an invocation, or the one of all together.
    fn check(&self, exceeded: Option<Exceeded>) -> Result<(), Exceeded> {
        let together = self.unstored.bytes() > self.limits.together;
        let exceeded = exceeded.or(together.then_some(Exceeded::Together));
        exceeded.map_or(Ok(()), Err)
    }

    /// The invocation has ended. It has time until those that it waits for have ended.
    pub(crate) fn held(&mut self, id: &InvocationId, now: Instant) {
        if let Some(partial) = self.running.get_mut(id) {
            partial.held_since.get_or_insert(now);
        }
        self.note_held(now);
    }

    fn note_held(&mut self, now: Instant) {
        let all_held =
            !self.running.is_empty() && self.running.values().all(|one| one.held_since.is_some());
        self.all_held_since = all_held.then(|| self.all_held_since.unwrap_or(now));
    }

    pub(crate) fn end(&mut self, id: &InvocationId, end: End, now: Instant) -> Option<Outcome> {
        let mut partial = self.running.remove(id)?;
        self.unstored.subtract(partial.size.sum());
        self.note_held(now);
        let (duration, uncharged) = self.take_time(&mut partial, now);
        let End {
            writes,
            failure,
            answer,
            flow,
            reply,
        } = end;
        let flow_bytes = flow.as_ref().map_or(0, Flow::context_bytes);
        let answer_bytes = answer.as_ref().map_or(0, |answer| answer.get().len());
        let reply_bytes = reply.as_ref().map_or(0, Reported::bytes);
        let bytes = partial.size.effects + partial.size.logs + writes.bytes();
        let held = self
            .unstored
            .hold(bytes + flow_bytes + answer_bytes + reply_bytes);
        // A failed step does not decide how its run continues.
        let flow = flow.filter(|_| failure.is_none());
        Some(Outcome {
            emits: partial.emits,
            writes,
            logs: partial.logs,
            failure,
            duration,
            uncharged,
            answer,
            step: partial
                .step
                .map(|step| Box::new(step.into_outcome(flow, reply))),
            held,
        })
    }

    pub(crate) fn is_overdue(&self, now: Instant) -> bool {
        let waits_for_nothing = self
            .all_held_since
            .is_some_and(|since| since + HELD_GRACE <= now);
        waits_for_nothing
            || self
                .running
                .values()
                .any(|one| one.held_since.is_none() && one.overdue_at <= now)
    }

    fn take_time(&mut self, partial: &mut Partial, now: Instant) -> (Duration, Duration) {
        let (duration, uncharged) = partial.take_time(now);
        self.ended_time += uncharged;
        (duration, uncharged)
    }

    /// The time of running invocations that was not reported before, and of those that ended since the last call.
    pub(crate) fn take_times(&mut self, now: Instant) -> (Duration, Duration) {
        let running = self.running.values_mut();
        let running = running.map(|one| one.take_time(now).1).sum();
        (running, std::mem::take(&mut self.ended_time))
    }

    /// Ends the only running invocation as failed. If there are several, the one that caused it is unknown.
    pub(crate) fn fail_sole(
        &mut self,
        now: Instant,
        failure: Failure,
    ) -> Option<(InvocationId, Outcome)> {
        if self.running.len() != 1 {
            return None;
        }
        let id = *self.running.keys().next()?;
        let mut partial = self.running.remove(&id)?;
        self.unstored.subtract(partial.size.sum());
        let (duration, uncharged) = self.take_time(&mut partial, now);
        let outcome = Outcome {
            emits: partial.emits,
            writes: partial.writes.into_iter().collect(),
            logs: partial.logs,
            failure: Some(failure),
            duration,
            uncharged,
            answer: None,
            step: partial
                .step
                .map(|step| Box::new(step.into_outcome(None, None))),
            held: self.unstored.hold(partial.size.sum()),
        };
        Some((id, outcome))
    }

    pub(crate) fn abandon(&mut self) -> Vec<Unfinished> {
        self.unstored.subtract(self.unstored.bytes());
        self.running
            .drain()
            .map(|(id, partial)| Unfinished {
                id,
                logs: partial.logs,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        outcome::{EmitId, LogLevel},
        unstored::Unstored,
    };

    const LIMITS: ReportLimits = ReportLimits {
        effects: 1000,
        logs: 1000,
        writes: 1000,
        together: 2500,
    };

    fn id(number: u8) -> InvocationId {
        InvocationId::parse(&format!("2FZ8vXW1Y3kQ9mB7nC5dE4fG6h{number}")).unwrap()
    }

    fn inflight(running: u8) -> Inflight {
        let mut inflight = Inflight::new(LIMITS, Unstored::new(10_000).share(&None));
        for number in 0..running {
            let allowance = Duration::from_mins(1);
            inflight.begin(id(number), Call::Run, Instant::now(), allowance);
        }
        inflight
    }

    fn text(length: usize) -> Box<RawValue> {
        RawValue::from_string(format!("\"{}\"", "x".repeat(length))).unwrap()
    }

    fn emit(length: usize) -> Emit {
        Emit {
            data: text(length),
            id: EmitId::Missing,
            channel: String::new(),
            summary: None,
            ts: None,
            delivery_ts: None,
        }
    }

    fn line() -> LogLine {
        LogLine {
            ts: 0,
            kind: "log".to_owned(),
            level: LogLevel::Info,
            message: String::new(),
        }
    }

    fn ended() -> End {
        End {
            writes: Vec::new(),
            failure: None,
            answer: None,
            flow: None,
            reply: None,
        }
    }

    #[test]
    fn empty_messages_count_too() {
        let mut inflight = inflight(1);
        let logged = (0..).take_while(|_| inflight.logged(Some(&id(0)), line()).is_ok());
        assert_eq!(logged.count(), 7);
        let emitted = (0..).take_while(|_| inflight.emitted(&id(0), emit(0)).is_ok());
        assert_eq!(emitted.count(), 7);
        inflight.end(&id(0), ended(), Instant::now());
        assert_eq!(inflight.unstored.bytes(), 0);
    }

    #[test]
    fn printed_lines_beyond_the_limit_are_dropped() {
        let mut inflight = inflight(1);
        for _ in 0..100 {
            assert!(inflight.printed(line()).is_none());
        }
        inflight.logged(Some(&id(0)), line()).unwrap_err();
        assert_eq!(
            inflight
                .end(&id(0), ended(), Instant::now())
                .unwrap()
                .logs
                .len(),
            8
        );
        assert!(inflight.printed(line()).is_some());
    }

    #[test]
    fn a_key_that_is_written_again_counts_once() {
        let mut inflight = inflight(1);
        for _ in 0..100 {
            let writes = vec![("key".to_owned(), Some(text(300)))];
            inflight.wrote(&id(0), writes).unwrap();
        }
        let more = vec![("other".to_owned(), Some(text(600)))];
        assert_eq!(inflight.wrote(&id(0), more), Err(Exceeded::Writes));
    }

    #[test]
    fn running_invocations_have_a_limit_together_until_they_end() {
        let mut inflight = inflight(5);
        for number in 0..3 {
            inflight.emitted(&id(number), emit(600)).unwrap();
        }
        inflight.end(&id(0), ended(), Instant::now());
        inflight.emitted(&id(3), emit(600)).unwrap();
        let refused = inflight.emitted(&id(4), emit(600));
        assert_eq!(refused, Err(Exceeded::Together));
    }

    #[test]
    fn time_is_reported_once_and_only_until_the_end() {
        let mut inflight = inflight(0);
        let (start, second) = (Instant::now(), Duration::from_secs(1));
        let at = |seconds| start + second * seconds;
        for number in 0..2 {
            inflight.begin(id(number), Call::Run, start, Duration::from_mins(1));
        }
        assert_eq!(inflight.take_times(at(3)), (second * 6, Duration::ZERO));
        inflight.held(&id(0), at(4));
        let ended = |inflight: &mut Inflight, number, now| {
            let outcome = inflight.end(&id(number), ended(), now).unwrap();
            (outcome.duration, outcome.uncharged)
        };
        assert_eq!(ended(&mut inflight, 1, at(5)), (second * 5, second * 2));
        assert_eq!(ended(&mut inflight, 0, at(6)), (second * 4, second));
        assert_eq!(inflight.take_times(at(7)), (Duration::ZERO, second * 3));
    }

    #[test]
    fn a_held_invocation_reports_nothing_more_and_cannot_wait_for_nothing() {
        let mut inflight = inflight(2);
        let now = Instant::now();
        inflight.held(&id(0), now);
        inflight.emitted(&id(0), emit(5000)).unwrap();
        assert!(!inflight.is_overdue(now + HELD_GRACE));
        inflight.end(&id(1), ended(), now);
        assert!(!inflight.is_overdue(now));
        assert!(inflight.is_overdue(now + HELD_GRACE));
    }
}
