//! The steps of the model.

use crate::{
    id::{Incarnation, NodeId, RequestId},
    message::Message,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// The client sends a request. The node that accepts it begins an insert, and so takes the number of the request.
    Send(RequestId),
    /// The insert commits. An owner that accepts the request itself takes it without a read.
    Store(RequestId, Option<NodeId>),
    /// The client has its answer. A hint reaches the node, or is lost.
    Acknowledge(RequestId, Option<NodeId>),

    /// A sweep shows work to a node, which reads or claims it.
    Sweep(NodeId),
    /// As [`Action::Sweep`]. The claim is on its way for any time, and so is the reply.
    SlowClaim(NodeId),
    /// A claimant reads the state.
    Read(NodeId),
    /// An owner runs the next request and sends the commit.
    Commit(NodeId),
    /// An owner sends its commit again, because it has no reply.
    RepeatCommit(NodeId),
    /// A quiet owner stops and releases its claim.
    HandOver(NodeId),

    /// A message arrives, and so does the reply.
    Deliver(Message),
    /// A message arrives. The reply is lost.
    LoseReply(Message),
    Lose(Message),

    /// A lease expires in the store. Its node does not know.
    Expire(Incarnation),
    /// A node renews its expired lease and does not notice that it had none.
    Renew(NodeId),
    /// A node notices that its lease has expired. It stops its owner and gets a new lease.
    Rejoin(NodeId),
    /// A node crashes and never returns.
    Crash(NodeId),
    /// A node crashes and starts again.
    Restart(NodeId),
}
