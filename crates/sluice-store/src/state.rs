//! The small state of a source or a workflow that its commits carry along: its owner, the number of its last commit, its last
//! event id and its dedupe state.
//!
//! The row is the *fence* of the emitter. Each commit updates it and names its owner and epoch, so the commits of an owner that
//! has lost the emitter change nothing. A claim updates the same row: a commit in progress ends first, or never counts.

use std::{borrow::Cow, collections::HashMap, sync::Arc};

use sluice_model::{DedupeState, EmitterId, EventId};

use crate::{
    conn::{Conn, Dialect, Query, query_all, query_opt},
    error::{Result, StoreError},
    id_list::{IdList, ids_in},
    nodes, params,
    row::{FromRow, Row},
    value::Value,
};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct EmitterState {
    /// The number of the last commit.
    pub commit_no: i64,
    pub last_event: Option<EventId>,
    pub dedupe: DedupeState,
    /// Counts the changes of the definition.
    pub generation: i64,
}

impl FromRow for EmitterState {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        let last_event = match (row.get(0)?, row.get(1)?) {
            (Some(ms), Some(seq)) => Some(EventId { ms, seq }),
            (None, None) => None,
            (Some(_), None) | (None, Some(_)) => {
                return Err(StoreError::Corrupt("half an event id".to_owned()));
            }
        };
        let dedupe = match row.get::<Option<String>>(2)? {
            Some(_) => row.json(2)?,
            None => DedupeState::default(),
        };
        Ok(EmitterState {
            commit_no: row.get(3)?,
            last_event,
            dedupe,
            generation: row.get(4)?,
        })
    }
}

/// The saved state, or the empty one.
pub fn load(c: &mut dyn Conn, emitter: &EmitterId) -> Result<EmitterState> {
    let saved = query_opt(
        c,
        "SELECT last_event_ms, last_event_seq, dedupe, commit_no, generation \
         FROM emitter_state WHERE emitter_id = ?1",
        params![emitter],
    )?;
    Ok(saved.unwrap_or_default())
}

/// When emitters of any user last emitted an event. Emitters without events are left out. Errors do not count.
pub fn last_emits(c: &mut dyn Conn, emitters: &[EmitterId]) -> Result<HashMap<EmitterId, i64>> {
    let ids = IdList::new(emitters)?;
    let sql = format!(
        "SELECT emitter_id, last_emit_at FROM emitter_state \
         WHERE emitter_id IN {} AND last_emit_at IS NOT NULL",
        ids_in(c.dialect(), "?1")
    );
    let last: Vec<(EmitterId, i64)> = query_all(c, &sql, params![&ids])?;
    Ok(last.into_iter().collect())
}

/// The state that a commit saves.
#[derive(Debug, Clone, Copy, Default)]
pub struct NewState<'a> {
    pub last_event: Option<EventId>,
    /// JSON; `None` is the empty dedupe state.
    pub dedupe: Option<&'a str>,
    /// Set when the commit emits an event.
    pub emitted_at: Option<i64>,
}

/// The right to commit for an emitter: the owner that claimed it last has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    /// The incarnation of a server.
    pub owner: Arc<str>,
    /// Counts the claims of the emitter.
    pub epoch: i64,
}

/// Adds the state of a new emitter. Deferred.
pub fn insert(c: &mut dyn Conn, emitter: &EmitterId) -> Result<()> {
    c.execute_later(
        "INSERT INTO emitter_state (emitter_id) VALUES (?1)",
        params![emitter],
    )
}

/// The result of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// Commits of the owner before are fenced from now on.
    Made(Fence),
    /// This node has it, and is alive.
    Owned(String),
    /// The emitter does not exist.
    Gone,
}

/// Makes a server the owner of an emitter, unless another one that is alive has it. One that is not alive loses it only if the
/// server `may_take_over`. Every claim gets a new epoch, also one of the same server.
pub fn claim(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    owner: &Arc<str>,
    may_take_over: bool,
) -> Result<Claim> {
    let sql = format!(
        "UPDATE emitter_state SET owner = ?2, epoch = epoch + 1 WHERE emitter_id = ?1 AND {} \
         RETURNING epoch",
        nodes::is_free(c.dialect(), "emitter_state.owner", "?2", "?3")
    );
    if let Some(epoch) = query_opt(c, &sql, params![emitter, &**owner, may_take_over])? {
        return Ok(Claim::Made(Fence {
            owner: Arc::clone(owner),
            epoch,
        }));
    }
    let holder: Option<Option<String>> = query_opt(
        c,
        "SELECT owner FROM emitter_state WHERE emitter_id = ?1",
        params![emitter],
    )?;
    Ok(match holder {
        None => Claim::Gone,
        Some(holder) => Claim::Owned(holder.unwrap_or_default()),
    })
}

/// Gives up claims, so that any node may make new ones. A claim that was made anew in the meantime stays.
pub fn release(c: &mut dyn Conn, claims: &[(EmitterId, Fence)]) -> Result<()> {
    for (emitter, Fence { owner, epoch }) in claims {
        c.execute_later(
            "UPDATE emitter_state SET owner = NULL \
             WHERE emitter_id = ?1 AND owner = ?2 AND epoch = ?3",
            params![emitter, &**owner, *epoch],
        )?;
    }
    Ok(())
}

/// The definition of the emitter was changed. Deferred.
pub fn definition_changed(c: &mut dyn Conn, emitter: &EmitterId) -> Result<()> {
    c.execute_later(
        "UPDATE emitter_state SET generation = generation + 1 WHERE emitter_id = ?1",
        params![emitter],
    )
}

/// The node that has claimed an emitter; none when none has, or the emitter does not exist.
pub fn owner(c: &mut dyn Conn, emitter: &EmitterId) -> Result<Option<String>> {
    let owner: Option<Option<String>> = query_opt(
        c,
        "SELECT owner FROM emitter_state WHERE emitter_id = ?1",
        params![emitter],
    )?;
    Ok(owner.flatten())
}

/// Whether a claim still counts.
pub fn is_held(c: &mut dyn Conn, emitter: &EmitterId, fence: &Fence) -> Result<bool> {
    let found = query_opt::<i64>(c, HELD, params![emitter, &*fence.owner, fence.epoch])?;
    Ok(found.is_some())
}

/// As [`is_held`], and stays so until the transaction ends: for writes of an owner outside of its commits.
pub fn hold(c: &mut dyn Conn, emitter: &EmitterId, fence: &Fence) -> Result<bool> {
    let sql = match c.dialect() {
        // The transaction has the only write lock.
        Dialect::Sqlite => Cow::Borrowed(HELD),
        Dialect::Postgres => Cow::Owned(format!("{HELD} FOR SHARE")),
    };
    let found = query_opt::<i64>(c, &sql, params![emitter, &*fence.owner, fence.epoch])?;
    Ok(found.is_some())
}

/// Makes commits of an emitter wait until the transaction ends. False when one is in progress, or the emitter is gone.
pub fn try_lock(c: &mut dyn Conn, emitter: &EmitterId) -> Result<bool> {
    let lock = match c.dialect() {
        // The transaction has the only write lock.
        Dialect::Sqlite => "",
        Dialect::Postgres => " FOR NO KEY UPDATE SKIP LOCKED",
    };
    let sql = format!("SELECT epoch FROM emitter_state WHERE emitter_id = ?1{lock}");
    Ok(query_opt::<i64>(c, &sql, params![emitter])?.is_some())
}

const HELD: &str =
    "SELECT epoch FROM emitter_state WHERE emitter_id = ?1 AND owner = ?2 AND epoch = ?3";

/// Whether a commit took the next number of its emitter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advance {
    Advanced,
    /// An earlier attempt of this commit took it.
    Repeated,
    /// Another owner has claimed the emitter.
    Fenced,
    /// The emitter was removed.
    Gone,
    /// The commit does not follow the last one, which has this number.
    OutOfOrder(i64),
}

/// The row of an emitter, for a commit that did not take its number.
struct Holder {
    owner: Option<String>,
    epoch: i64,
    commit_no: i64,
}

impl FromRow for Holder {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Holder {
            owner: row.get(0)?,
            epoch: row.get(1)?,
            commit_no: row.get(2)?,
        })
    }
}

/// Takes the number of a commit, which must follow the last one, and saves the state with it, if there is any. The row lock
/// makes another attempt of the commit wait for this one.
#[derive(Debug)]
pub struct TakeNumber<'a> {
    emitter: &'a EmitterId,
    fence: &'a Fence,
    commit_no: i64,
    state: Option<NewState<'a>>,
    /// Set when the number is taken.
    generation: Option<i64>,
}

impl<'a> TakeNumber<'a> {
    pub fn new(
        emitter: &'a EmitterId,
        fence: &'a Fence,
        commit_no: i64,
        state: Option<NewState<'a>>,
    ) -> TakeNumber<'a> {
        TakeNumber {
            emitter,
            fence,
            commit_no,
            state,
            generation: None,
        }
    }

    /// The number of the emitter's definition, if the commit took its number.
    pub fn generation(&self) -> Option<i64> {
        self.generation
    }

    /// The result of the query. The reason for a number that was not taken is looked up.
    pub fn outcome(&self, c: &mut dyn Conn) -> Result<Advance> {
        if self.generation.is_some() {
            return Ok(Advance::Advanced);
        }
        let holder: Option<Holder> = query_opt(
            c,
            "SELECT owner, epoch, commit_no FROM emitter_state WHERE emitter_id = ?1",
            params![self.emitter],
        )?;
        let Some(Holder {
            owner,
            epoch,
            commit_no,
        }) = holder
        else {
            return Ok(Advance::Gone);
        };
        let is_owner = owner.as_deref() == Some(&*self.fence.owner) && epoch == self.fence.epoch;
        Ok(if !is_owner {
            Advance::Fenced
        } else if commit_no == self.commit_no {
            Advance::Repeated
        } else {
            Advance::OutOfOrder(commit_no)
        })
    }
}

impl<'a> Query<'a> for TakeNumber<'a> {
    fn sql(&self, _: Dialect) -> Cow<'static, str> {
        match self.state {
            None => {
                "UPDATE emitter_state SET commit_no = ?4 \
                 WHERE emitter_id = ?1 AND owner = ?2 AND epoch = ?3 AND commit_no + 1 = ?4 \
                 RETURNING generation"
            }
            Some(_) => {
                "UPDATE emitter_state SET commit_no = ?4, last_event_ms = ?5, \
                 last_event_seq = ?6, dedupe = ?7, last_emit_at = COALESCE(?8, last_emit_at) \
                 WHERE emitter_id = ?1 AND owner = ?2 AND epoch = ?3 AND commit_no + 1 = ?4 \
                 RETURNING generation"
            }
        }
        .into()
    }

    fn params(&self) -> Vec<Value<'a>> {
        let Fence { owner, epoch } = self.fence;
        let number = params![self.emitter, &**owner, *epoch, self.commit_no];
        let Some(state) = &self.state else {
            return number.to_vec();
        };
        let (ms, seq) = state.last_event.map(|id| (id.ms, id.seq)).unzip();
        let state = params![ms, seq, state.dedupe, state.emitted_at];
        [&number[..], &state[..]].concat()
    }

    fn row(&mut self, row: &Row<'_>) -> Result<()> {
        self.generation = Some(row.get(0)?);
        Ok(())
    }
}

/// Takes the number of a commit, which must follow the last one, and saves the state with it, if there is any.
pub fn advance(
    c: &mut dyn Conn,
    emitter: &EmitterId,
    fence: &Fence,
    commit_no: i64,
    state: Option<NewState<'_>>,
) -> Result<Advance> {
    let mut number = TakeNumber::new(emitter, fence, commit_no, state);
    c.query_together(&mut [&mut number])?;
    number.outcome(c)
}
