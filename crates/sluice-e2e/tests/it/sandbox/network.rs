//! Addresses: the public internet, and what the operator adds.

use std::{
    io::{Read, Write},
    net::TcpListener,
    thread,
};

use serde_json::json;
use sluice_testkit::{Backend, Server, name_of_loopback};

use super::{assert_refused, attempt, has_all_walls};
use crate::support::{new_user, server_as_it_comes, shared_server};

/// A web server of the test's own on loopback that always gives this answer.
fn always_answers(answer: String) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    port
}

fn ok(body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
}

fn redirect(location: &str) -> String {
    format!(
        "HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    )
}

#[tokio::test]
async fn the_server_s_ports_and_private_addresses_are_refused_by_every_client() {
    let address = shared_server(Backend::Sqlite).addr();
    let expressions = [
        "fetch(`http://${input}/healthz`)",
        "Deno.connect({ hostname: '127.0.0.1', port: Number(input.split(':')[1]) })",
        "new Promise((done, fail) => require('http').get(`http://${input}/healthz`, done).on('error', fail))",
        "new Promise((done, fail) => { const socket = new WebSocket(`ws://${input}/`); socket.onopen = done; socket.onerror = (event) => fail(event.error ?? new Error(event.message)); })",
        "new Promise((done, fail) => require('net').connect(80, '169.254.169.254', done).on('error', fail))",
        "fetch('http://169.254.169.254/latest/meta-data/')",
        "new Promise((done, fail) => require('dgram').createSocket('udp4').on('error', fail).send('x', 53, '10.0.0.1', (error) => error ? fail(error) : done()))",
        "new Promise((done, fail) => require('tls').connect(443, '192.168.0.1', done).on('error', fail))",
        "new Promise((done, fail) => { const session = require('http2').connect('http://10.0.0.1'); session.on('error', fail); session.on('connect', done); })",
        "Deno.connect({ transport: 'unix', path: '/var/run/docker.sock' })",
    ];
    assert_refused(&new_user().await, &expressions, json!(address)).await;
}

#[tokio::test]
async fn private_ipv6_is_refused_in_all_its_disguises() {
    if !has_all_walls() {
        return;
    }
    let expressions: Vec<String> = [
        "::1",
        "::",
        "fd00::1",
        "fe80::1",
        "fec0::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
    ]
    .iter()
    .flat_map(|address| {
        [
            format!("fetch('http://[{address}]:80/', {{ signal: AbortSignal.timeout(3000) }})"),
            format!("Deno.connect({{ hostname: '{address}', port: 80 }})"),
            format!("new Promise((done, fail) => require('net').connect(80, '{address}', done).on('error', fail))"),
        ]
    })
    .collect();
    let expressions: Vec<&str> = expressions.iter().map(String::as_str).collect();
    assert_refused(&new_user().await, &expressions, json!({})).await;
}

#[tokio::test]
async fn a_name_that_stands_for_a_private_address_is_refused() {
    let Some(name) = name_of_loopback() else {
        return;
    };
    let port = always_answers(ok("reached"));
    let expressions = [
        "fetch(`http://${input}/`)",
        "Deno.connect({ hostname: input.split(':')[0], port: Number(input.split(':')[1]) })",
        "new Promise((done, fail) => require('http').get(`http://${input}/`, done).on('error', fail))",
    ];
    let input = json!(format!("{name}:{port}"));
    assert_refused(&new_user().await, &expressions, input).await;
}

#[tokio::test]
async fn what_the_operator_allows_is_reached_and_leads_no_further() {
    let server = Server::start(server_as_it_comes().arg("--allow-network").arg("127.0.0.1")).await;
    let open = always_answers(ok("reached"));
    let elsewhere = always_answers(redirect(&format!("http://127.0.0.2:{open}/")));
    let home = always_answers(redirect(&format!("{}/healthz", server.url())));
    let expressions = [
        "fetch(`http://127.0.0.1:${input.open}/`).then((answer) => answer.text())",
        "new Promise((done, fail) => require('http').get(`http://localhost:${input.open}/`, (answer) => answer.toArray().then((all) => done(Buffer.concat(all)))).on('error', fail))",
        "fetch(`http://127.0.0.2:${input.open}/`)",
        "fetch(`http://10.0.0.1:${input.open}/`)",
        "fetch(`http://127.0.0.1:${input.elsewhere}/`)",
        "fetch(`http://127.0.0.1:${input.home}/`)",
        "fetch(`${input.server}/healthz`)",
    ];
    let input =
        json!({ "open": open, "elsewhere": elsewhere, "home": home, "server": server.url() });
    let outcomes = attempt(&server.api(), &expressions, input).await;
    let reached = json!(["allowed", "reached"]);
    assert_eq!(outcomes[..2], [reached.clone(), reached]);
    assert_eq!(outcomes[2..], ["refused"; 5]);
}
