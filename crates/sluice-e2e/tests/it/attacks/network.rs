//! Components that try to reach addresses that are closed to them, also with native code and past Deno's permissions.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, UdpSocket},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use serde_json::{Value, json};
use sluice_testkit::{Server, ServerOptions, name_of_loopback};

use crate::{
    sandbox::{attempt, has_broker},
    support::server_as_it_comes,
};

/// A listener on loopback that counts its connections and answers each with `hello`.
struct Listener {
    address: SocketAddr,
    reached: Arc<AtomicUsize>,
}

impl Listener {
    fn on(address: &str) -> Listener {
        let listener = TcpListener::bind(address).expect("a port");
        let reached = Arc::new(AtomicUsize::new(0));
        let address = listener.local_addr().expect("an address");
        let counted = Arc::clone(&reached);
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                counted.fetch_add(1, Ordering::SeqCst);
                thread::spawn(move || {
                    let _ = stream.write_all(b"hello");
                    let _ = stream.read(&mut [0; 1024]);
                });
            }
        });
        Listener { address, reached }
    }

    fn port(&self) -> u16 {
        self.address.port()
    }

    fn reached(&self) -> usize {
        self.reached.load(Ordering::SeqCst)
    }
}

/// Native code calls the kernel itself, with an address in its own memory.
const NATIVE: &str = r"
    const libc = Deno.dlopen('libc.so.6', {
        syscall: { parameters: ['i64', 'i64', 'i64', 'i64', 'i64', 'i64', 'i64'], result: 'i64', nonblocking: true },
        __errno_location: { parameters: [], result: 'pointer' },
    }).symbols;
    const at = (bytes) => BigInt(Deno.UnsafePointer.value(Deno.UnsafePointer.of(bytes)));
    const call = async (number, ...args) => {
        const words = [number, ...args, 0, 0, 0, 0, 0, 0].slice(0, 7).map(BigInt);
        const result = await libc.syscall(...words);
        if (BigInt(result) < 0n) throw new Error(`EPERM or the like: call ${number} returned ${result}`);
        return Number(result);
    };
    const v4 = (port, ...ip) => Uint8Array.of(2, 0, port >> 8, port & 255, ...ip, 0, 0, 0, 0, 0, 0, 0, 0);
    const v6 = (port, ...ip) => Uint8Array.of(10, 0, port >> 8, port & 255, 0, 0, 0, 0, ...ip, 0, 0, 0, 0);
    const words = (...values) => new BigUint64Array(values.map(BigInt));
    const tcp = () => call(41, 2, 1, 0); const udp = () => call(41, 2, 2, 0);
    const message = (address, payload) => { const parts = words(at(payload), payload.length); return [words(at(address), address.length, at(parts), 1, 0, 0, 0, 0), parts]; };
    const text = new TextEncoder().encode('datagram');
";

fn without_deno_permissions() -> ServerOptions {
    server_as_it_comes().env("SLUICE_TEST_DENO_PERMISSIONS", "off")
}

async fn natively(server: &Server, expressions: &[&str], input: Value) -> Vec<Value> {
    let expressions: Vec<String> = expressions
        .iter()
        .map(|expression| format!("(async () => {{ {NATIVE} return {expression}; }})()"))
        .collect();
    let expressions: Vec<&str> = expressions.iter().map(String::as_str).collect();
    attempt(&server.api(), &expressions, input).await
}

#[tokio::test]
async fn native_code_reaches_neither_loopback_nor_the_server_nor_private_addresses() {
    if !has_broker() {
        return;
    }
    let (listener, v6) = (Listener::on("127.0.0.1:0"), Listener::on("[::1]:0"));
    let datagrams = UdpSocket::bind("127.0.0.1:0").expect("a port");
    datagrams.set_nonblocking(true).expect("a socket");
    let server = Server::start(without_deno_permissions()).await;
    let port: u16 = server.addr().rsplit(':').next().unwrap().parse().unwrap();
    let input = json!({
        "tcp": listener.port(), "tcp6": v6.port(), "server": port, "udp": datagrams.local_addr().unwrap().port(),
    });
    let expressions = [
        "await call(42, await tcp(), at(v4(input.tcp, 127, 0, 0, 1)), 16)",
        "await call(42, await tcp(), at(v4(input.tcp, 127, 1, 2, 3)), 16)",
        "await call(42, await tcp(), at(v4(input.tcp, 0, 0, 0, 0)), 16)",
        "await call(42, await tcp(), at(v4(input.server, 127, 0, 0, 1)), 16)",
        "await call(42, await tcp(), at(v4(80, 169, 254, 169, 254)), 16)",
        "await call(42, await tcp(), at(v4(80, 10, 0, 0, 1)), 16)",
        "await call(42, await call(41, 10, 1, 0), at(v6(input.tcp6, 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1)), 28)",
        "await call(42, await call(41, 10, 1, 0), at(v6(input.tcp, 0,0,0,0,0,0,0,0,0,0,255,255,127,0,0,1)), 28)",
        // Datagrams, in all the ways to send one.
        "await call(44, await udp(), at(text), 8, 0, at(v4(input.udp, 127, 0, 0, 1)), 16)",
        "await call(46, await udp(), at(message(v4(input.udp, 127, 0, 0, 1), text)[0]), 0)",
        "await call(307, await udp(), at(message(v4(input.udp, 127, 0, 0, 1), text)[0]), 1, 0)",
        "await call(42, await udp(), at(v4(input.udp, 127, 0, 0, 1)), 16)",
        // Data with the connection, and other kinds of sockets.
        "await call(44, await tcp(), at(text), 8, 0x20000000, at(v4(input.tcp, 127, 0, 0, 1)), 16)",
        "await call(53, 1, 2, 0, at(new Uint8Array(8)))",
        "await call(53, 1, 5, 0, at(new Uint8Array(8)))",
        "await call(41, 1, 2, 0)",
        "await call(54, await tcp(), 0, 4, at(Uint8Array.of(131, 11, 4, 127, 0, 0, 1, 127, 0, 0, 1, 0)), 12)",
        // It cannot be reached either.
        "await call(49, await udp(), at(v4(5353, 0, 0, 0, 0)), 16)",
        "await call(49, await udp(), at(v4(0, 127, 0, 0, 1)), 16)",
        // A descriptor of the process that is no socket of the internet.
        "await call(42, 0, at(v4(input.tcp, 127, 0, 0, 1)), 16)",
    ];
    let outcomes = natively(&server, &expressions, input).await;
    let wrong: Vec<_> = expressions
        .iter()
        .zip(outcomes)
        .filter(|(_, outcome)| outcome != "refused")
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!((listener.reached(), v6.reached()), (0, 0));
    assert!(datagrams.recv(&mut [0; 16]).is_err(), "a datagram arrived");
}

#[tokio::test]
async fn native_code_and_every_client_reach_what_the_operator_allows() {
    if !has_broker() {
        return;
    }
    let (listener, v6) = (Listener::on("127.0.0.1:0"), Listener::on("[::1]:0"));
    let datagrams = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let udp = datagrams.local_addr().unwrap();
    thread::spawn(move || {
        let mut bytes = [0; 64];
        while let Ok((length, from)) = datagrams.recv_from(&mut bytes) {
            let _ = datagrams.send_to(&bytes[..length], from);
        }
    });
    let allowed = [listener.address, v6.address, udp].map(|address| address.to_string());
    let options = without_deno_permissions().arg("--allow-network");
    let server = Server::start(options.arg(allowed.join(","))).await;
    let input = json!({ "tcp": listener.port(), "tcp6": v6.port(), "udp": udp.port() });
    let hello = "(async (socket) => { const bytes = new Uint8Array(5); await call(45, socket, at(bytes), 5, 0x100, 0, 0); return new TextDecoder().decode(bytes); })";
    let echo = "(async (socket) => { const bytes = new Uint8Array(8); await call(45, socket, at(bytes), 8, 0, 0, 0); return new TextDecoder().decode(bytes); })";
    let expressions = [
        // A blocking connect, which the server must not wait for.
        format!("(async () => {{ const socket = await tcp(); await call(42, socket, at(v4(input.tcp, 127, 0, 0, 1)), 16); return {hello}(socket); }})()"),
        format!("(async () => {{ const socket = await call(41, 10, 1, 0); await call(42, socket, at(v6(input.tcp6, 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1)), 28); return {hello}(socket); }})()"),
        format!("(async () => {{ const socket = await udp(); await call(44, socket, at(text), 8, 0, at(v4(input.udp, 127, 0, 0, 1)), 16); return {echo}(socket); }})()"),
        format!("(async () => {{ const socket = await udp(); const [header, parts] = message(v4(input.udp, 127, 0, 0, 1), text); await call(307, socket, at(header), 1, 0); return parts && header[7] === 8n && {echo}(socket); }})()"),
        format!("(async () => {{ const socket = await udp(); await call(42, socket, at(v4(input.udp, 127, 0, 0, 1)), 16); const parts = words(at(text), 8); await call(46, socket, at(words(0, 0, at(parts), 1, 0, 0, 0)), 0); return {echo}(socket); }})()"),
        "new Promise((done, fail) => require('net').connect(input.tcp, '127.0.0.1').on('data', done).on('error', fail))".to_owned(),
        "new Promise((done, fail) => require('net').connect(input.tcp6, '::1').on('data', done).on('error', fail))".to_owned(),
        "new Promise((done, fail) => require('dgram').createSocket('udp4').on('message', done).on('error', fail).send('datagram', input.udp, '127.0.0.1'))".to_owned(),
        "Deno.connect({ hostname: 'localhost', port: input.tcp }).then((socket) => new Response(socket.readable).text().catch(() => 'hello'))".to_owned(),
    ];
    let expressions: Vec<&str> = expressions.iter().map(String::as_str).collect();
    let outcomes = natively(&server, &expressions[..5], input.clone()).await;
    let (hello, datagram) = (json!(["allowed", "hello"]), json!(["allowed", "datagram"]));
    assert_eq!(
        outcomes,
        [
            hello.clone(),
            hello.clone(),
            datagram.clone(),
            datagram.clone(),
            datagram.clone()
        ]
    );
    let outcomes = attempt(&server.api(), &expressions[5..8], input).await;
    assert_eq!(outcomes, [hello.clone(), hello, datagram]);
}

#[tokio::test]
async fn an_allowed_port_opens_no_other_port_of_its_address() {
    if !has_broker() {
        return;
    }
    let (open, closed) = (Listener::on("127.0.0.1:0"), Listener::on("127.0.0.1:0"));
    let options = server_as_it_comes().arg("--allow-network");
    let server = Server::start(options.arg(open.address.to_string())).await;
    let connect = "new Promise((done, fail) => require('net').connect(input.PORT, '127.0.0.1').on('data', done).on('error', fail))";
    let expressions = ["open", "closed"].map(|name| connect.replace("PORT", name));
    let expressions = expressions.each_ref().map(String::as_str);
    let input = json!({ "open": open.port(), "closed": closed.port() });
    let outcomes = attempt(&server.api(), &expressions, input).await;
    assert_eq!(outcomes, [json!(["allowed", "hello"]), json!("refused")]);
    assert_eq!(closed.reached(), 0);
}

#[tokio::test]
async fn a_proxy_of_the_component_s_own_choice_leads_to_no_private_address() {
    let Some(name) = name_of_loopback().filter(|_| has_broker()) else {
        eprintln!("skipped: this machine has no other name for loopback, or no broker");
        return;
    };
    let listener = Listener::on("127.0.0.1:0");
    let server = Server::start(server_as_it_comes()).await;
    let through = |proxy: &str| {
        format!(
            "fetch('http://example.com/', {{ client: Deno.createHttpClient({{ proxy: {{ url: `{proxy}://${{input}}` }} }}) }})"
        )
    };
    let variable = |proxy: &str| {
        format!(
            "(process.env.HTTP_PROXY = process.env.http_proxy = `{proxy}://${{input}}`, fetch('http://example.com/', {{ client: Deno.createHttpClient({{}}) }}))"
        )
    };
    let expressions = [
        through("socks5h"),
        through("socks5"),
        through("http"),
        variable("socks5"),
        variable("http"),
    ];
    let expressions = expressions.each_ref().map(String::as_str);
    let input = json!(format!("{name}:{}", listener.port()));
    attempt(&server.api(), &expressions, input).await;
    assert_eq!(listener.reached(), 0);
}

#[tokio::test]
async fn a_component_that_opens_sockets_without_end_slows_only_itself() {
    if !has_broker() {
        return;
    }
    let server = Server::start(without_deno_permissions()).await;
    let flood = "(async () => { const end = Date.now() + 1500; let count = 0; while (Date.now() < end) { await call(3, await tcp()); count++; } return count < 25000; })()";
    assert_eq!(
        natively(&server, &[flood], json!({})).await,
        [json!(["allowed", "true"])]
    );
}

/// Each process that ends sends the server one. A call that is answered meanwhile must not get a wrong descriptor.
#[tokio::test]
async fn signals_to_the_server_disturb_no_connection() {
    if !has_broker() {
        return;
    }
    let server = Server::start(without_deno_permissions()).await;
    let pid = i32::try_from(server.pid()).expect("a pid");
    let pid = rustix::process::Pid::from_raw(pid).expect("a pid");
    let stop = Arc::new(AtomicUsize::new(0));
    let signals = thread::spawn({
        let stop = Arc::clone(&stop);
        move || {
            while stop.load(Ordering::SeqCst) == 0 {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::CHILD);
            }
        }
    });
    let sockets = "(async () => { for (let i = 0; i < 3000; i++) { const socket = await tcp(); if (socket < 3) return socket; await call(3, socket); } return 'each its own'; })()";
    let outcomes = natively(&server, &[sockets], json!({})).await;
    stop.store(1, Ordering::SeqCst);
    signals.join().expect("a thread");
    assert_eq!(outcomes, [json!(["allowed", "each its own"])]);
}
