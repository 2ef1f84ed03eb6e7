//! A node, and the memory that it loses in a crash.

use crate::{
    id::{Incarnation, NodeId, RequestId, RequestSet},
    rule::{Rule, Rules},
    snapshot::Snapshot,
};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Node {
    pub(crate) incarnation: Incarnation,
    pub(crate) is_up: bool,
    pub(crate) role: Role,
}

/// The part that a node believes to have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Role {
    Idle,
    /// Its claim has committed. It has not read the state.
    Claimed {
        epoch: u8,
    },
    Owner(Owner),
}

/// The memory of an owner.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Owner {
    pub(crate) epoch: u8,
    /// The number of its last commit.
    pub(crate) commit_no: u8,
    pub(crate) count: u8,
    /// Rows that it knows, without the one that it commits.
    pub(crate) mailbox: RequestSet,
    pub(crate) committing: Option<RequestId>,
    /// The last row that it has read, without [`Rule::ReadIncludesLateRows`].
    cursor: Option<RequestId>,
}

impl Node {
    pub(crate) fn new(id: NodeId) -> Node {
        Node {
            incarnation: Incarnation { node: id, start: 0 },
            is_up: true,
            role: Role::Idle,
        }
    }

    pub(crate) fn id(&self) -> NodeId {
        self.incarnation.node
    }

    pub(crate) fn owner(&self) -> Option<&Owner> {
        match &self.role {
            Role::Owner(owner) => Some(owner),
            Role::Idle | Role::Claimed { .. } => None,
        }
    }

    pub(crate) fn owner_mut(&mut self) -> Option<&mut Owner> {
        match &mut self.role {
            Role::Owner(owner) => Some(owner),
            Role::Idle | Role::Claimed { .. } => None,
        }
    }
}

impl Owner {
    pub(crate) fn new(epoch: u8, state: Snapshot, rules: Rules) -> Owner {
        let mut owner = Owner {
            epoch,
            commit_no: state.commit_no,
            count: state.count,
            mailbox: RequestSet::default(),
            committing: None,
            cursor: None,
        };
        owner.read(state.inbox, rules);
        owner
    }

    /// It has nothing to do, as far as it knows.
    pub(crate) fn is_quiet(&self) -> bool {
        self.knows().is_empty()
    }

    pub(crate) fn knows(&self) -> RequestSet {
        let mut known = self.mailbox;
        if let Some(request) = self.committing {
            known.insert(request);
        }
        known
    }

    /// The rows of an inbox that a read would bring.
    pub(crate) fn unread(&self, inbox: RequestSet) -> RequestSet {
        let unknown = inbox.without(self.knows());
        self.cursor.map_or(unknown, |cursor| unknown.after(cursor))
    }

    pub(crate) fn read(&mut self, rows: RequestSet, rules: Rules) {
        self.mailbox = self.mailbox.union(rows);
        if !rules.include(Rule::ReadIncludesLateRows) {
            self.cursor = self.cursor.max(rows.last());
        }
    }

    /// Whether it takes a request that its own node has accepted without a read. The insert tells it which rows came before.
    pub(crate) fn takes(&self, request: RequestId, inbox: RequestSet, rules: Rules) -> bool {
        let unknown = inbox.before(request).without(self.knows());
        unknown.is_empty() || !rules.include(Rule::ShortcutKeepsOrder)
    }

    /// Its commit was kept.
    pub(crate) fn finish_commit(&mut self) {
        self.committing = None;
        self.commit_no += 1;
        self.count += 1;
    }
}
