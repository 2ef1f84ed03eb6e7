//! Reading pages of an inbox into its mailbox.

use sluice_infra::Backoff;
use sluice_model::EmitterId;
use sluice_store::{BatchLimit, Store, inbox};

use super::{
    mailbox::{Mailbox, Refill},
    replies::Replies,
};
use crate::work::Work;

const PAGE: BatchLimit = BatchLimit {
    rows: 256,
    bytes: 8 * 1024 * 1024,
};

/// A page on its way into the mailbox.
pub(crate) struct InboxPage {
    emitter: EmitterId,
    refill: Refill,
    rows: inbox::InboxPage,
}

impl InboxPage {
    /// Reads as much as a mailbox takes. While the store is unavailable it is retried.
    pub(crate) async fn read(store: Store, emitter: EmitterId, refill: Refill) -> InboxPage {
        let mut backoff = Backoff::store();
        loop {
            let (of, known) = (emitter.clone(), refill.known.clone());
            let read = store.read(move |c| {
                let request = inbox::PageRequest {
                    known: &known,
                    limit: PAGE,
                };
                inbox::waiting(c, &of, &request)
            });
            match read.await {
                Ok(rows) => {
                    return InboxPage {
                        emitter,
                        refill,
                        rows,
                    };
                }
                Err(error) => {
                    tracing::warn!(%emitter, %error, "inbox read failed; retrying");
                    backoff.sleep().await;
                }
            }
        }
    }

    pub(crate) fn put_into(self, mailbox: &Mailbox, replies: &Replies) {
        let inbox::InboxPage { items, complete } = self.rows;
        for item in &items {
            if let Some(node) = &item.reply_to {
                mailbox.expect_reply(item.id, || replies.sender_to(node, &self.emitter, item.id));
            }
        }
        let page = items.into_iter().map(Work::from).collect();
        mailbox.refill(&self.refill, page, complete);
    }
}
