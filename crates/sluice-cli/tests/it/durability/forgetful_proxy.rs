//! A proxy before PostgreSQL that can lose the answer to a COMMIT: the transaction is kept, and whoever made it is not told.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use sluice_testkit::wait_for;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use crate::support::PATIENCE;

pub(super) struct ForgetfulProxy {
    url: String,
    to_lose: Arc<AtomicUsize>,
}

impl ForgetfulProxy {
    /// Stands before the server of `database`, a `postgres://user@host:port/name`.
    pub(super) async fn before(database: &str) -> ForgetfulProxy {
        let (user, rest) = database.split_once('@').expect("a user");
        let (server, name) = rest.split_once('/').expect("a database");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let to_lose = Arc::new(AtomicUsize::new(0));
        let (server, lose) = (server.to_owned(), Arc::clone(&to_lose));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&server)
                    .await
                    .expect("PostgreSQL is there");
                tokio::spawn(pass_on(client, server, Arc::clone(&lose)));
            }
        });
        ForgetfulProxy {
            url: format!("{user}@{address}/{name}"),
            to_lose,
        }
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Loses the answer to the next COMMIT, whoever sends it.
    pub(super) fn lose_an_answer(&self) {
        self.to_lose.fetch_add(1, Ordering::SeqCst);
    }

    pub(super) async fn has_lost_it(&self) {
        wait_for(PATIENCE, "an answer to be lost", async || {
            (self.to_lose.load(Ordering::SeqCst) == 0).then_some(())
        })
        .await;
    }
}

/// Returns, and so closes both ends, when either closes or an answer is lost.
async fn pass_on(mut client: TcpStream, mut server: TcpStream, to_lose: Arc<AtomicUsize>) {
    let (mut sent, mut answered) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
    loop {
        let passed = tokio::select! {
            read = client.read(&mut sent) => match read {
                Ok(length @ 1..) => {
                    let commits = sent[..length].windows(7).any(|word| word == b"COMMIT\0");
                    let lost = commits && lose_one(&to_lose);
                    let passed = server.write_all(&sent[..length]).await;
                    if lost {
                        // Once it has answered, it has committed.
                        let _ = server.read(&mut answered).await;
                        return;
                    }
                    passed
                }
                Ok(0) | Err(_) => return,
            },
            read = server.read(&mut answered) => match read {
                Ok(length @ 1..) => client.write_all(&answered[..length]).await,
                Ok(0) | Err(_) => return,
            },
        };
        if passed.is_err() {
            return;
        }
    }
}

fn lose_one(to_lose: &AtomicUsize) -> bool {
    let less = |left: usize| left.checked_sub(1);
    to_lose
        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, less)
        .is_ok()
}
