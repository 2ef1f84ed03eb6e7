//! Several servers on one host: a browser gives the cookies of a host to all its ports.

use std::collections::BTreeMap;

use sluice_testkit::{Answer, Api, Backend, Method, Server, ServerOptions};

use super::fixtures::{name_and_value, signing_in};
use crate::{
    api::fixtures::refused,
    support::{own_server, shared_server},
};

/// What a browser keeps for one host, whatever the port.
#[derive(Default)]
struct Jar(BTreeMap<String, String>);

impl Jar {
    async fn sign_in(&mut self, api: &Api) {
        let answer = signing_in(api, api.key()).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        self.keep(&answer);
    }

    async fn sign_out(&mut self, api: &Api) {
        let answer = self.send(api, Method::DELETE).await;
        assert_eq!(answer.status, 204, "{}", answer.text);
        self.keep(&answer);
    }

    async fn session(&self, api: &Api) -> Answer {
        self.send(api, Method::GET).await
    }

    async fn send(&self, api: &Api, method: Method) -> Answer {
        let cookies = self.0.iter().map(|(name, value)| format!("{name}={value}"));
        let cookies: Vec<_> = cookies.collect();
        let request = api.root(method, "/v1/session");
        let request = request.header("cookie", &cookies.join("; "));
        request.header("x-sluice-console", "1").send().await
    }

    fn keep(&mut self, answer: &Answer) {
        for set in answer.headers.get_all("set-cookie") {
            let set = set.to_str().expect("text");
            let mut parts = set.split("; ");
            let (name, value) = name_and_value(parts.next().expect("a pair"));
            if parts.any(|part| part == "Max-Age=0") {
                self.0.remove(name);
            } else {
                self.0.insert(name.to_owned(), value.to_owned());
            }
        }
    }
}

#[tokio::test]
async fn one_browser_is_signed_in_to_each_of_two_servers_and_out_of_one() {
    let other = Server::start(own_server()).await;
    let (here, there) = (shared_server(Backend::Sqlite).api(), other.api());
    let mut jar = Jar::default();
    for api in [&here, &there] {
        refused(jar.session(api).await, 401);
        jar.sign_in(api).await;
    }
    for api in [&here, &there] {
        jar.session(api).await.ok();
    }
    jar.sign_out(&there).await;
    jar.session(&here).await.ok();
    refused(jar.session(&there).await, 401);
}

/// Somebody who signs in to two servers with these options, one after the other, is signed in to both.
async fn told_apart(options: impl Fn() -> ServerOptions) {
    let servers = [
        Server::start(options()).await,
        Server::start(options()).await,
    ];
    let mut jar = Jar::default();
    for server in &servers {
        jar.sign_in(&server.api()).await;
    }
    for server in &servers {
        jar.session(&server.api()).await.ok();
    }
}

/// As behind two proxies, where neither knows by which port people come to it.
#[tokio::test]
async fn servers_that_take_themselves_for_the_same_address_are_told_apart() {
    told_apart(|| own_server().args(["--public-url", "http://sluice.example.com"])).await;
}

#[tokio::test]
async fn servers_with_the_same_master_key_are_told_apart_by_their_addresses() {
    told_apart(|| own_server().env("SLUICE_MASTER_KEY", "ab".repeat(32))).await;
}

#[tokio::test]
async fn a_restarted_server_knows_its_sessions_again() {
    let mut server = Server::start(own_server()).await;
    let mut jar = Jar::default();
    jar.sign_in(&server.api()).await;
    server.restart().await;
    jar.session(&server.api()).await.ok();
}
