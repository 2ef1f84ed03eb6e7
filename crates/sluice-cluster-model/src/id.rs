//! Names of nodes and requests, and sets of requests.

/// A server, through all its starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u8);

impl NodeId {
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// One start of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Incarnation {
    pub node: NodeId,
    pub start: u8,
}

/// The right to commit: the owner that claimed the emitter last has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fence {
    pub owner: Incarnation,
    /// Counts the claims of the emitter.
    pub epoch: u8,
}

/// A request. It is also the number of its row in the sequence of the inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u8);

impl RequestId {
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }

    fn bit(self) -> u8 {
        1 << self.0
    }
}

/// A set of requests, in the order of their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct RequestSet(u8);

impl RequestSet {
    pub(crate) fn insert(&mut self, request: RequestId) {
        self.0 |= request.bit();
    }

    pub(crate) fn remove(&mut self, request: RequestId) {
        self.0 &= !request.bit();
    }

    pub(crate) fn contains(self, request: RequestId) -> bool {
        self.0 & request.bit() != 0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn first(self) -> Option<RequestId> {
        self.iter().next()
    }

    pub(crate) fn last(self) -> Option<RequestId> {
        self.iter().last()
    }

    pub(crate) fn union(self, other: RequestSet) -> RequestSet {
        RequestSet(self.0 | other.0)
    }

    pub(crate) fn without(self, other: RequestSet) -> RequestSet {
        RequestSet(self.0 & !other.0)
    }

    /// The requests with a lower number.
    pub(crate) fn before(self, request: RequestId) -> RequestSet {
        RequestSet(self.0 & (request.bit() - 1))
    }

    /// The requests with a higher number.
    pub(crate) fn after(self, request: RequestId) -> RequestSet {
        let mut after = self.without(self.before(request));
        after.remove(request);
        after
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = RequestId> {
        let all = (0..8).map(RequestId);
        all.filter(move |&request| self.contains(request))
    }
}
