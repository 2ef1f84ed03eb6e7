//! The broker: it makes the connections of component processes.
//!
//! A component process is in a network namespace of its own that leads nowhere. A seccomp filter sends its calls that open,
//! connect or bind a socket, or that send to an address, to this broker in the server. The broker checks the address and makes
//! the call on a socket of the server's namespace, which it hands to the process. Calls on connected sockets go to the kernel
//! directly and cost nothing.

mod announcements;
mod call_rate;
mod caller;
mod calls;
mod filter;
mod guard;
mod listener;
mod memory;
mod probe;
mod readiness;

use std::{io, os::fd::AsFd, sync::Arc, time::Duration};

use rustix::{
    event::{PollFd, PollFlags, Timespec},
    io::Errno,
    process::Pid,
};
use tokio::{
    io::Interest,
    task::{AbortHandle, JoinSet},
};

pub use self::guard::AllowedAddress;
pub(crate) use self::{
    announcements::Announcements,
    filter::hand_over,
    guard::Guard,
    probe::{answer_calls, is_answered},
};
use self::{
    call_rate::CallRate,
    caller::Caller,
    calls::{Answer, Calls},
    listener::{Call, Listener},
};

/// Answers the calls of a process until it is dropped.
pub(crate) struct Broker(AbortHandle);

impl Broker {
    /// The launcher in the process `pid` announces its listener.
    pub(crate) fn attach(
        pid: Pid,
        announcements: Announcements,
        guard: Arc<Guard>,
    ) -> io::Result<Broker> {
        let caller = Caller::open(pid)?;
        let task = tokio::spawn(async move {
            if let Err(error) = serve(&caller, announcements, &guard).await {
                tracing::error!(%error, "cannot broker connections of component; process killed");
                caller.kill();
            }
        });
        Ok(Broker(task.abort_handle()))
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn serve(caller: &Caller, announcements: Announcements, guard: &Guard) -> io::Result<()> {
    let number = announcements.listener().await?;
    let listener = Arc::new(Listener::from(caller.descriptor(number)?));
    let readiness = readiness::watch(listener.as_fd(), Interest::READABLE)?;
    let mut later = JoinSet::new();
    let mut rate = CallRate::default();
    loop {
        let mut ready = readiness.readable().await?;
        match next(&listener, Duration::ZERO)? {
            Next::Nothing => ready.clear_ready(),
            Next::Ended => return Ok(()),
            Next::Call(call) => {
                let calls = Calls {
                    caller,
                    listener: &listener,
                    guard,
                };
                reply(&listener, &call, calls.answer(&call), &mut later);
                rate.wait().await;
            }
        }
        while later.try_join_next().is_some() {}
    }
}

enum Next {
    Call(Call),
    Nothing,
    /// The process has exited.
    Ended,
}

/// Waits so long. Receiving alone could wait forever for a call that was taken back.
fn next(listener: &Listener, patience: Duration) -> io::Result<Next> {
    let mut polled = [PollFd::new(listener, PollFlags::IN)];
    let patience = Timespec::try_from(patience).map_err(io::Error::other)?;
    rustix::event::poll(&mut polled, Some(&patience))?;
    let found = polled[0].revents();
    if found.contains(PollFlags::IN) {
        return Ok(match listener.receive() {
            Ok(call) => Next::Call(call),
            // Its thread was killed in between.
            Err(_) => Next::Nothing,
        });
    }
    Ok(if found.contains(PollFlags::HUP) {
        Next::Ended
    } else {
        Next::Nothing
    })
}

/// A process that was killed needs no answer.
fn reply(listener: &Arc<Listener>, call: &Call, answer: Answer, later: &mut JoinSet<()>) {
    let id = call.id;
    match answer {
        Answer::Value(outcome) => drop(listener.answer(id, outcome)),
        Answer::Socket {
            socket,
            close_on_exec,
        } => {
            if listener
                .answer_with(id, socket.as_fd(), close_on_exec)
                .is_err()
            {
                // Its table of descriptors is full.
                drop(listener.answer(id, Err(Errno::MFILE)));
            }
        }
        Answer::Later(outcome) => {
            let listener = Arc::clone(listener);
            later.spawn(async move { drop(listener.answer(id, outcome.await)) });
        }
    }
}
