//! New PostgreSQL databases on the server that `make test` starts.

use std::{env, thread};

use postgres::{Client, NoTls};

use crate::unique_hex;

const SERVER: &str = "SLUICE_TEST_POSTGRES_URL";

/// The PostgreSQL server of this test run.
#[derive(Debug, Clone, Copy)]
pub struct Postgres;

impl Postgres {
    /// Creates an empty database and returns its URL. It is deleted with the server at the end of the test run.
    pub fn database() -> String {
        let Ok(server) = env::var(SERVER) else {
            panic!(
                "{SERVER} is not set: run the tests with `make test`, or under `scripts/with-postgres`"
            );
        };
        let name = format!("sluice_{}", unique_hex());
        let url = with_database(&server, &name);
        let create = move || {
            Client::connect(&server, NoTls)?.batch_execute(&format!("CREATE DATABASE {name}"))
        };
        // The client has its own runtime, which cannot run inside another one.
        let created = thread::spawn(create).join();
        created
            .expect("connecting does not panic")
            .unwrap_or_else(|error| panic!("cannot create a database on {SERVER}: {error}"));
        url
    }
}

/// Replaces the database, the last segment of the path, and keeps the parameters.
fn with_database(server: &str, name: &str) -> String {
    let (address, parameters) = match server.split_once('?') {
        Some((address, parameters)) => (address, format!("?{parameters}")),
        None => (server, String::new()),
    };
    let host = address.rsplit_once('/').map_or(address, |(host, _)| host);
    format!("{host}/{name}{parameters}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_is_replaced_and_the_parameters_stay() {
        assert_eq!(
            with_database("postgres://u@h:1/postgres?sslmode=disable", "fresh"),
            "postgres://u@h:1/fresh?sslmode=disable"
        );
        assert_eq!(
            with_database("postgres://u@h:1/postgres", "fresh"),
            "postgres://u@h:1/fresh"
        );
    }

    #[tokio::test]
    async fn a_database_can_be_made_inside_a_runtime() {
        let url = Postgres::database();
        let connected = thread::spawn(move || Client::connect(&url, NoTls).is_ok()).join();
        assert!(connected.expect("connecting does not panic"));
    }
}
