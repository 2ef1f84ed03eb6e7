//! The body of a stream's response: frames as they come, a sign of life between them, and at last a word why it ends.

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
use crate::{auth::Proof, sse};

const SHUT_OUT: &str = "the key or the session of this stream is no longer good";
const BEAT: Duration = Duration::from_secs(15);

/// A stream under way.
struct Stream {
    frames: Frames,
    reader: Reader,
    beat: Interval,
    /// When the client was last given something: it comes back for more when it has taken that.
    given: Instant,
}

/// Who may read a stream.
pub(super) enum Reader {
    Anyone,
    /// Whoever has shown this, for as long as it would do.
    With(Proof, Arc<App>),
}

impl Reader {
    async fn may_go_on(&self) -> bool {
        match self {
            Reader::Anyone => true,
            // A store that cannot be read ends nobody's stream.
            Reader::With(proof, app) => proof.holds(app).await.unwrap_or(true),
        }
    }
}

enum State {
    Open(Box<Stream>),
    Over,
}

pub(super) fn of(frames: Frames, reader: Reader) -> Body {
    let mut beat = tokio::time::interval_at(tokio::time::Instant::now() + BEAT, BEAT);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let stream = Stream {
        frames,
        reader,
        beat,
        given: Instant::now(),
    };
    let opening = stream::iter([Ok::<_, Infallible>(opening(stream.frames.sign_of_life()))]);
    let rest = stream::unfold(State::Open(Box::new(stream)), |state| async {
        match state {
            State::Open(stream) => {
                let (frame, state) = stream.go_on().await;
                Some((Ok(frame), state))
            }
            State::Over => None,
        }
    });
    Body::from_stream(stream::StreamExt::chain(opening, rest))
}

fn opening(sign_of_life: Bytes) -> Bytes {
    let mut opening = BytesMut::from(sign_of_life);
    opening.extend_from_slice(&sse::RETRY);
    opening.freeze()
}

impl Stream {
    async fn go_on(mut self: Box<Self>) -> (Bytes, State) {
        let taken_in = self.given.elapsed();
        let next = tokio::select! {
            biased;
            _ = self.beat.tick() => {
                if !self.reader.may_go_on().await {
                    return (sse::comment(SHUT_OUT), State::Over);
                }
                Ok(self.frames.sign_of_life())
            }
            next = self.frames.next(taken_in) => next,
        };
        match next {
            Ok(frame) => {
                self.given = Instant::now();
                (frame, State::Open(self))
            }
            Err(end) => {
                let last_word = farewell(&end, &self.frames);
                (sse::comment(&last_word), State::Over)
            }
        }
    }
}

fn farewell(end: &StreamEnd, frames: &Frames) -> String {
    let way_back = frames.way_back();
    match end {
        StreamEnd::Gone => frames.obituary().to_owned(),
        StreamEnd::Draining => format!("the server is stopping: {way_back}"),
        StreamEnd::TooSlow => format!("dropped: read faster, or {way_back}"),
        StreamEnd::Failed(error) => {
            tracing::warn!(%error, "a stream ends because the store cannot be read");
            format!("the server cannot go on at the moment: {way_back}")
        }
    }
}
