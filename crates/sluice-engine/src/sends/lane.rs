//! The worker of one lane: it sends what is due there, several at a time, and goes when nothing is due any more.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use futures_util::{StreamExt, stream::FuturesUnordered};
use sluice_model::EmitId;
use sluice_store::{
    BatchLimit,
    sends::{
        SendKind,
        outbox::{self, SendQueue},
    },
};
use tokio::{sync::mpsc, time::Instant};

use super::{
    outcome::Outcome,
    parcel::{Parcel, pack},
    recording, s3_object,
};
use crate::{context::Context, delivery::millis};

/// Parcels under way in one lane: a user has no more, however much there is to send.
const AT_ONCE: usize = 32;
/// Of them, to one peer.
const TO_ONE_PEER: usize = 8;
/// Mail goes to one server, which may be a small one.
const MAIL_AT_ONCE: usize = 4;
/// What waits in memory.
const WINDOW: BatchLimit = BatchLimit {
    rows: 200,
    bytes: 1024 * 1024,
};
/// A peer that gives no answer for so long is slow: it gets one parcel at a time until it answers,
const PATIENCE: Duration = Duration::from_secs(1);
/// and what waits for it is put off for so long, so that others get their turn.
const PUT_OFF: Duration = Duration::from_secs(30);
/// While the store is unavailable.
const PAUSE: Duration = Duration::from_secs(1);

type UnderWay = FuturesUnordered<Pin<Box<dyn Future<Output = Ended> + Send>>>;

pub(super) struct Worker {
    context: Arc<Context>,
    lane: SendQueue,
    told: mpsc::Receiver<()>,
    waiting: Vec<Parcel>,
    /// Those that wait here and those under way: in the store they are due all the same.
    in_hand: BTreeSet<EmitId>,
    /// Parcels under way to each peer.
    busy: HashMap<String, usize>,
    /// Peers that gave no answer, and have given none since.
    slow: HashSet<String>,
    /// Whether something may be due that is not in hand.
    maybe_more: bool,
    /// Since when there is no room for more and nothing could begin.
    stuck_since: Option<Instant>,
}

/// A parcel that is not under way any more.
struct Ended {
    ids: Vec<EmitId>,
    peer: String,
    /// Whether the peer kept us waiting in vain.
    was_slow: bool,
}

impl Worker {
    pub(super) fn new(context: Arc<Context>, lane: SendQueue, told: mpsc::Receiver<()>) -> Worker {
        Worker {
            context,
            lane,
            told,
            waiting: Vec::new(),
            in_hand: BTreeSet::new(),
            busy: HashMap::new(),
            slow: HashSet::new(),
            maybe_more: true,
            stuck_since: None,
        }
    }

    pub(super) async fn run(mut self) {
        let mut under_way = UnderWay::new();
        let draining = self.context.draining.clone();
        loop {
            if draining.is_cancelled() {
                while under_way.next().await.is_some() {}
                return;
            }
            if self.maybe_more && self.has_room(under_way.len()) {
                self.read().await;
                self.pass_over_slow().await;
            }
            self.begin(&mut under_way);
            if self.waiting.is_empty() && under_way.is_empty() && !self.maybe_more {
                if self.context.sends.dismiss(&self.lane, &self.told) {
                    return;
                }
                self.maybe_more = true;
                continue;
            }
            if self.maybe_more && self.has_room(under_way.len()) {
                continue;
            }
            let stuck = self.stuck_since.map(|since| since + PATIENCE);
            tokio::select! {
                Some(ended) = under_way.next() => self.ended(ended),
                Some(()) = self.told.recv() => self.maybe_more = true,
                () = until(stuck) => self.pass_over_busy().await,
                () = draining.cancelled() => {}
            }
        }
    }

    fn has_room(&self, under_way: usize) -> bool {
        match self.lane.kind {
            // All that came due together must be seen together, to be packed in the same way each time.
            SendKind::S3 => self.waiting.is_empty() && under_way == 0,
            _ => self.room().is_some(),
        }
    }

    fn room(&self) -> Option<BatchLimit> {
        let window = match self.lane.kind {
            SendKind::S3 => s3_object::WINDOW,
            _ => WINDOW,
        };
        let bytes: usize = self.waiting.iter().map(Parcel::bytes).sum();
        let bytes = window.bytes.checked_sub(u64::try_from(bytes).ok()?)?;
        let rows = window
            .rows
            .checked_sub(u32::try_from(self.waiting.len()).ok()?)?;
        (rows > 0 && bytes > 0).then_some(BatchLimit { rows, bytes })
    }

    async fn read(&mut self) {
        let Some(portion) = self.room() else { return };
        // Word that comes while the store is read is heeded afterwards.
        let _ = self.told.try_recv();
        let (lane, in_hand) = (self.lane.clone(), self.in_hand.clone());
        let now = self.context.clock.now_ms();
        let read = self
            .context
            .store
            .read(move |c| outbox::due(c, &lane, now, &in_hand, portion));
        match read.await {
            Ok(rows) => {
                self.maybe_more = !rows.is_empty();
                self.in_hand.extend(rows.iter().map(|row| row.id));
                self.waiting.extend(pack(self.lane.kind, rows));
            }
            Err(error) => {
                tracing::warn!(%error, "what is to be sent could not be read; trying again");
                tokio::select! {
                    () = tokio::time::sleep(PAUSE) => {}
                    () = self.context.draining.cancelled() => {}
                }
            }
        }
    }

    /// Begins with what waits, the first first, as far as its peer and the lane have room.
    fn begin(&mut self, under_way: &mut UnderWay) {
        let (at_once, to_one_peer) = match self.lane.kind {
            SendKind::Email | SendKind::S3 => (MAIL_AT_ONCE, MAIL_AT_ONCE),
            SendKind::Http | SendKind::Emit | SendKind::Sse => (AT_ONCE, TO_ONE_PEER),
        };
        let before = under_way.len();
        for parcel in std::mem::take(&mut self.waiting) {
            let to_peer = self.busy.get(&parcel.peer).copied().unwrap_or(0);
            let most = if self.slow.contains(&parcel.peer) {
                1
            } else {
                to_one_peer
            };
            if under_way.len() >= at_once || to_peer >= most {
                self.waiting.push(parcel);
                continue;
            }
            self.busy.insert(parcel.peer.clone(), to_peer + 1);
            under_way.push(Box::pin(carry(Arc::clone(&self.context), parcel)));
        }
        let is_stuck = self.room().is_none() && self.lane.kind == SendKind::Http;
        if !is_stuck || under_way.len() > before {
            self.stuck_since = None;
        } else if self.stuck_since.is_none() {
            self.stuck_since = Some(Instant::now());
        }
    }

    fn ended(&mut self, ended: Ended) {
        let Ended {
            ids,
            peer,
            was_slow,
        } = ended;
        for id in ids {
            self.in_hand.remove(&id);
        }
        if let Some(count) = self.busy.get_mut(&peer) {
            *count -= 1;
            if *count == 0 {
                self.busy.remove(&peer);
            }
        }
        if was_slow {
            self.slow.insert(peer);
        } else {
            self.slow.remove(&peer);
        }
    }

    /// There is no room for more, and those that all of this waits for give no answer.
    async fn pass_over_busy(&mut self) {
        let busy = self.waiting.iter().map(|parcel| &parcel.peer);
        let busy = busy.filter(|peer| self.busy.contains_key(*peer)).cloned();
        self.slow.extend(busy.collect::<Vec<_>>());
        self.stuck_since = None;
        self.pass_over_slow().await;
    }

    async fn pass_over_slow(&mut self) {
        let (slow, waiting): (Vec<_>, Vec<_>) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|parcel| {
                self.slow.contains(&parcel.peer) && self.busy.contains_key(&parcel.peer)
            });
        self.waiting = waiting;
        if slow.is_empty() {
            return;
        }
        for id in slow.iter().flat_map(Parcel::ids) {
            self.in_hand.remove(&id);
        }
        let due_at = self.context.clock.now_ms() + millis(PUT_OFF);
        recording::postpone(&self.context, slow, due_at).await;
    }
}

/// Tries a parcel once and records what came of it. A server that stops begins nothing.
async fn carry(context: Arc<Context>, parcel: Parcel) -> Ended {
    let mut ended = Ended {
        ids: parcel.ids().collect(),
        peer: parcel.peer.clone(),
        was_slow: false,
    };
    let sends = &context.sends;
    let place = tokio::select! {
        biased;
        () = context.draining.cancelled() => return ended,
        // It is never closed.
        place = sends.places.acquire() => place,
    };
    let began = Instant::now();
    let outcome = attempt(&context, &parcel).await;
    drop(place);
    ended.was_slow = began.elapsed() >= PATIENCE && matches!(outcome, Outcome::Again { .. });
    recording::record(&context, parcel, outcome).await;
    ended
}

async fn attempt(context: &Context, parcel: &Parcel) -> Outcome {
    let sends = &context.sends;
    let [first, ..] = parcel.rows.as_slice() else {
        return Outcome::Failed("there is nothing to send".to_owned());
    };
    match first.kind {
        SendKind::Http => sends.http.send(context, first).await,
        SendKind::Email => match &sends.mailer {
            Some(mailer) => mailer.send(context, first).await,
            None => Outcome::Failed("this server sends no mail: --smtp-url is not set".to_owned()),
        },
        SendKind::S3 => match &sends.s3 {
            Some(s3) => s3.write(&parcel.rows).await,
            None => {
                Outcome::Failed("this server writes to no S3: --s3-endpoint is not set".to_owned())
            }
        },
        SendKind::Emit | SendKind::Sse => {
            Outcome::Failed("it should have become an event".to_owned())
        }
    }
}

async fn until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}
