//! The body of a stream: frames, heartbeats between them, and a last comment with the reason for the end.

use std::{
    convert::Infallible,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use futures_util::stream;
use sluice_app::App;
use sluice_engine::streams::StreamEnd;
use tokio::time::{Interval, MissedTickBehavior};

use super::frames::Frames;
use crate::{auth::Credential, cause_chain::CauseChain, sse};

const ACCESS_ENDED: &str = "the key or the session of this stream is no longer valid";
const HEARTBEAT: Duration = Duration::from_secs(15);

/// An open stream.
struct Stream {
    frames: Frames,
    access: Access,
    heartbeat: Interval,
    /// When the last frame was handed out. The next one is polled for when the client has read it.
    sent_at: Instant,
    /// The longest time that the client took for a frame since the last event. A heartbeat must not hide a slow client.
    taken_in: Duration,
}

/// Who may read a stream.
pub(super) enum Access {
    Public,
    /// The owner of this credential, while it is valid.
    While(Box<Credential>, Arc<App>),
}

impl Access {
    async fn is_allowed(&self) -> bool {
        match self {
            Access::Public => true,
            // An unavailable store does not end the stream.
            Access::While(credential, app) => credential.is_valid(app).await.unwrap_or(true),
        }
    }
}

enum State {
    Open(Box<Stream>),
    Ended,
}

pub(super) fn stream(frames: Frames, access: Access) -> Body {
    let mut heartbeat =
        tokio::time::interval_at(tokio::time::Instant::now() + HEARTBEAT, HEARTBEAT);
    heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let stream = Stream {
        frames,
        access,
        heartbeat,
        sent_at: Instant::now(),
        taken_in: Duration::ZERO,
    };
    let opening = stream::iter([Ok::<_, Infallible>(opening(stream.frames.heartbeat()))]);
    let rest = stream::unfold(State::Open(Box::new(stream)), |state| async {
        match state {
            State::Open(stream) => {
                let (frame, state) = stream.next().await;
                Some((Ok(frame), state))
            }
            State::Ended => None,
        }
    });
    Body::from_stream(stream::StreamExt::chain(opening, rest))
}

fn opening(heartbeat: Bytes) -> Bytes {
    let mut opening = BytesMut::from(heartbeat);
    opening.extend_from_slice(&sse::RETRY);
    opening.freeze()
}

impl Stream {
    async fn next(mut self: Box<Self>) -> (Bytes, State) {
        self.taken_in = self.taken_in.max(self.sent_at.elapsed());
        let next = tokio::select! {
            biased;
            _ = self.heartbeat.tick() => {
                if !self.access.is_allowed().await {
                    return (sse::comment(ACCESS_ENDED), State::Ended);
                }
                Ok(self.frames.heartbeat())
            }
            next = self.frames.next(self.taken_in) => {
                self.taken_in = Duration::ZERO;
                next
            }
        };
        match next {
            Ok(frame) => {
                self.sent_at = Instant::now();
                (frame, State::Open(self))
            }
            Err(end) => {
                let reason = end_reason(&end, &self.frames);
                (sse::comment(&reason), State::Ended)
            }
        }
    }
}

fn end_reason(end: &StreamEnd, frames: &Frames) -> String {
    let resume = frames.how_to_resume();
    match end {
        StreamEnd::Gone => frames.deleted().to_owned(),
        StreamEnd::Draining => format!("the server is shutting down: {resume}"),
        StreamEnd::TooSlow => format!("the client reads too slowly: {resume}"),
        StreamEnd::Failed(error) => {
            let subject = frames.subject();
            tracing::warn!(subject, error = %CauseChain(error), "stream ended because the store is unavailable");
            format!("the server is temporarily unavailable: {resume}")
        }
    }
}
