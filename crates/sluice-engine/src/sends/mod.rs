//! Doing what steps send with `$.send` and what no event is made of: HTTP requests, mail and objects in S3.
//!
//! The rows are stored with the step that sends, and released in the transaction that ends its run or lets it wait.
//! What is due is read from the store alone, so a restart is nothing special. Each user has a lane for each kind, a task
//! that lives while something is due in it, so that nobody waits behind another.

mod email;
mod http;
mod lane;
mod outcome;
mod parcel;
mod recording;
mod s3;
mod s3_object;
mod settings;

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use sluice_store::{
    StoreError,
    sends::outbox::{self, SendQueue},
};
use tokio::sync::{Notify, Semaphore, mpsc};

pub use self::settings::{S3Settings, SendSettings, SmtpSettings};

use self::{email::Mailer, http::HttpSender, lane::Worker, s3::S3Writer};
use crate::{context::Context, delivery::Schedule, net_guard::NetGuard, settings::Settings};

const LONGEST_SLEEP: Duration = Duration::from_mins(1);
const AFTER_FAILURE: Duration = Duration::from_secs(1);

pub(crate) struct Sends {
    /// The lanes that somebody works in, and how to tell them that there is more.
    live: Mutex<HashMap<SendQueue, mpsc::Sender<()>>>,
    /// When the lanes are looked at next.
    next_look: AtomicI64,
    look: Notify,
    /// For tries that are under way, on the whole server.
    places: Semaphore,
    schedule: Schedule,
    http: HttpSender,
    mailer: Option<Mailer>,
    s3: Option<S3Writer>,
}

impl Sends {
    /// The error says which setting cannot be used.
    pub(crate) fn new(settings: &Settings) -> Result<Sends, String> {
        let guard = NetGuard::new(settings.allow_private_network);
        let sends = &settings.sends;
        let places = sends.most_at_once.clamp(1, Semaphore::MAX_PERMITS);
        Ok(Sends {
            live: Mutex::default(),
            next_look: AtomicI64::new(i64::MAX),
            look: Notify::new(),
            places: Semaphore::new(places),
            schedule: Schedule::new(sends.retries.clone()),
            http: HttpSender::new(guard, sends.http_timeout).map_err(|error| error.to_string())?,
            mailer: sends.smtp.as_ref().map(Mailer::new).transpose()?,
            s3: sends.s3.as_ref().map(S3Writer::new).transpose()?,
        })
    }

    /// Something that was stored is due then.
    pub(crate) fn wake(&self, due_at: i64) {
        if due_at < self.next_look.load(Ordering::SeqCst) {
            self.look.notify_one();
        }
    }

    /// Something is due in a lane.
    fn tell(&self, context: &Arc<Context>, lane: SendQueue) {
        match self.live.lock().entry(lane) {
            // It is full when there is such word already.
            Entry::Occupied(entry) => drop(entry.get().try_send(())),
            Entry::Vacant(entry) => {
                let (more, told) = mpsc::channel(1);
                let worker = Worker::new(Arc::clone(context), entry.key().clone(), told);
                entry.insert(more);
                context.tasks.spawn(worker.run());
            }
        }
    }

    /// Lets a worker that found nothing go, unless it was told of more meanwhile.
    fn dismiss(&self, lane: &SendQueue, told: &mpsc::Receiver<()>) -> bool {
        let mut live = self.live.lock();
        let dismissed = told.is_empty();
        if dismissed {
            live.remove(lane);
        }
        dismissed
    }
}

/// Finds lanes with work until the server drains.
pub(crate) async fn run(context: Arc<Context>) {
    let sends = &context.sends;
    while !context.draining.is_cancelled() {
        // Whatever is stored from here on leads to another look.
        sends.next_look.store(i64::MAX, Ordering::SeqCst);
        let now = context.clock.now_ms();
        let sleep = match look(&context, now).await {
            Ok(Some(due)) => {
                sends.next_look.store(due, Ordering::SeqCst);
                Duration::from_millis(u64::try_from(due - now).unwrap_or(0)).min(LONGEST_SLEEP)
            }
            Ok(None) => LONGEST_SLEEP,
            Err(error) => {
                tracing::warn!(%error, "what waits to be sent could not be read; trying again");
                AFTER_FAILURE
            }
        };
        tokio::select! {
            () = tokio::time::sleep(sleep) => {}
            () = sends.look.notified() => {}
            () = context.draining.cancelled() => {}
        }
    }
}

/// Sets workers on what is due, and says when something will be.
async fn look(context: &Arc<Context>, now: i64) -> Result<Option<i64>, StoreError> {
    let read = context
        .store
        .read(move |c| Ok((outbox::queues_due(c, now)?, outbox::next_due(c, now)?)));
    let (lanes, next) = read.await?;
    for lane in lanes {
        context.sends.tell(context, lane);
    }
    Ok(next)
}
