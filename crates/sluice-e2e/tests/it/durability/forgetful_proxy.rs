//! A proxy in front of PostgreSQL that loses the reply to a COMMIT: of one that is finished, or of one that is still in
//! progress.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use sluice_testkit::wait_for;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use crate::support::PATIENCE;

/// Longer than several retries of a commit.
const DELAY: Duration = Duration::from_secs(2);

/// The reply that is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loss {
    /// The transaction is committed before its connection closes.
    AfterCommit,
    /// The connection closes first, and the COMMIT reaches the database only later.
    BeforeCommit,
}

pub(super) struct ForgetfulProxy {
    url: String,
    next_loss: Arc<Mutex<Option<Loss>>>,
}

impl ForgetfulProxy {
    /// Stands in front of the server of `database`, a `postgres://user@host:port/name`.
    pub(super) async fn before(database: &str) -> ForgetfulProxy {
        let (user, rest) = database.split_once('@').expect("a user");
        let (server, name) = rest.split_once('/').expect("a database");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let next_loss = Arc::new(Mutex::new(None));
        let (server, losses) = (server.to_owned(), Arc::clone(&next_loss));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&server)
                    .await
                    .expect("PostgreSQL is running");
                tokio::spawn(forward(client, server, Arc::clone(&losses)));
            }
        });
        ForgetfulProxy {
            url: format!("{user}@{address}/{name}"),
            next_loss,
        }
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Loses the reply to the next COMMIT of any connection.
    pub(super) fn lose_next(&self, loss: Loss) {
        *self.next_loss.lock().expect("no panic") = Some(loss);
    }

    pub(super) async fn has_lost_it(&self) {
        wait_for(PATIENCE, "a reply to be lost", async || {
            self.next_loss
                .lock()
                .expect("no panic")
                .is_none()
                .then_some(())
        })
        .await;
    }
}

/// Returns, and so closes both ends, when either closes or a reply is lost.
async fn forward(mut client: TcpStream, mut server: TcpStream, losses: Arc<Mutex<Option<Loss>>>) {
    let (mut request, mut reply) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
    loop {
        let forwarded = tokio::select! {
            read = client.read(&mut request) => match read {
                Ok(length @ 1..) => {
                    let is_commit = request[..length].windows(7).any(|word| word == b"COMMIT\0");
                    let loss = losses.lock().expect("no panic").take_if(|_| is_commit);
                    match loss {
                        None => server.write_all(&request[..length]).await,
                        Some(Loss::AfterCommit) => {
                            let _ = server.write_all(&request[..length]).await;
                            // Its reply shows that it has committed.
                            let _ = server.read(&mut reply).await;
                            return;
                        }
                        Some(Loss::BeforeCommit) => {
                            drop(client);
                            tokio::time::sleep(DELAY).await;
                            let _ = server.write_all(&request[..length]).await;
                            let _ = server.read(&mut reply).await;
                            return;
                        }
                    }
                }
                Ok(0) | Err(_) => return,
            },
            read = server.read(&mut reply) => match read {
                Ok(length @ 1..) => client.write_all(&reply[..length]).await,
                Ok(0) | Err(_) => return,
            },
        };
        if forwarded.is_err() {
            return;
        }
    }
}
