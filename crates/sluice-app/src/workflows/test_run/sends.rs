//! The sends of tested steps: shown, or sent at once.

use serde_json::value::RawValue;
use sluice_engine::owner;
use sluice_model::UserId;
use sluice_outbox::SendResult;
use sluice_runtime::{Send, SendKind};
use sluice_store::{
    run_steps::StepRecord,
    sends::{self, SendRow, SendState},
};

use crate::workflows::service::Workflows;

/// A send of a step.
pub struct TestedSend {
    pub kind: SendKind,
    pub payload: Box<RawValue>,
    /// None when it was only shown.
    pub result: Option<SendResult>,
}

pub struct TestedStep {
    pub record: StepRecord,
    pub sends: Vec<TestedSend>,
    /// How long a run would wait after it.
    pub pause_ms: Option<i64>,
}

impl Workflows {
    /// Makes the sends, if `send` says so, and adds their results.
    pub(super) async fn tested_steps(
        &self,
        user: &UserId,
        steps: Vec<owner::TestedStep>,
        send: bool,
    ) -> Vec<TestedStep> {
        let mut tested = Vec::with_capacity(steps.len());
        for owner::TestedStep {
            record,
            sends,
            pause_ms,
        } in steps
        {
            let mut made = Vec::with_capacity(sends.len());
            for one in sends {
                let result = if send {
                    self.send_of_test(user, &one).await
                } else {
                    None
                };
                let Send { kind, payload } = one;
                made.push(TestedSend {
                    kind,
                    payload,
                    result,
                });
            }
            tested.push(TestedStep {
                record,
                sends: made,
                pause_ms,
            });
        }
        tested
    }

    /// One attempt. Events and stream messages are only shown: listeners would take them for those of a run.
    async fn send_of_test(&self, user: &UserId, send: &Send) -> Option<SendResult> {
        let kind = match send.kind {
            SendKind::Http => sends::SendKind::Http,
            SendKind::Email => sends::SendKind::Email,
            SendKind::S3 => sends::SendKind::S3,
            SendKind::Emit | SendKind::Sse => return None,
        };
        let now = self.infra.now_ms();
        let row = SendRow {
            id: self.infra.ids.emit(),
            step: None,
            user_id: user.clone(),
            kind,
            state: SendState::Pending,
            due_at: None,
            tries: 0,
            result: None,
            created_at: now,
            updated_at: now,
            payload: send.payload.get().to_owned(),
            trace: None,
        };
        let busy = || SendResult {
            sent: false,
            result: "too many test messages are being sent".to_owned(),
        };
        Some(self.outbox.try_send(row).await.unwrap_or_else(busy))
    }
}
