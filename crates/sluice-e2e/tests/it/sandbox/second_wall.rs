//! The wall below Deno's, alone: Deno runs with every permission of its own, and the kernel refuses.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};
use sluice_testkit::{Backend, sluice_binary};

use super::{has_private_tmp, walls};
use crate::support::shared_server;

const TRY_EVERYTHING: &str = "
    import fs from 'node:fs'; import net from 'node:net';
    const [server, port, other] = Deno.args;
    const libc = (name, parameters) => Deno.dlopen('libc.so.6', { [name]: { parameters, result: 'i64' } }).symbols[name];
    const syscall = (number, ...args) => {
        const parameters = ['i64', ...args.map(() => 'i64')];
        const result = libc('syscall', parameters)(BigInt(number), ...args.map(BigInt));
        if (BigInt(result) !== -1n) return result;
        throw new Error('EPERM or the like');
    };
    const ways = {
        readShadow: () => fs.readFileSync('/etc/shadow'),
        listRoot: () => fs.readdirSync('/'),
        listHostFolder: () => fs.readdirSync('/var'),
        readOther: () => fs.readFileSync(other),
        writeOutside: () => fs.writeFileSync('/var/tmp/sluice-was-here', 'x'),
        writeComponent: () => fs.writeFileSync(new URL('x', import.meta.url), 'x'),
        serverEnvironment: () => fs.readFileSync(`/proc/${server}/environ`),
        serverMemory: () => fs.openSync(`/proc/${server}/mem`, 'r'),
        ownMemory: () => fs.openSync('/proc/self/mem', 'r+'),
        program: () => new Deno.Command('/bin/true').outputSync(),
        deno: () => new Deno.Command(Deno.execPath(), { args: ['--version'] }).outputSync(),
        fork: () => syscall(57), vfork: () => syscall(58), cloneProcess: () => syscall(56, 17, 0, 0, 0, 0),
        clone3: () => syscall(435, 0, 88), exec: () => syscall(59, 0, 0, 0),
        signalServer: () => Deno.kill(Number(server), 'SIGTERM'),
        signalAll: () => syscall(62, -1, 0),
        traceServer: () => syscall(101, 16, Number(server), 0, 0),
        readServer: () => syscall(310, Number(server), 0, 0, 0, 0, 0),
        limitServer: () => syscall(302, Number(server), 7, 0, 0),
        namespace: () => syscall(272, 0x10000000), mount: () => syscall(165, 0, 0, 0, 0, 0),
        bpf: () => syscall(321, 0, 0, 0), uring: () => syscall(425, 1, 0), perf: () => syscall(298, 0, 0, 0, 0, 0),
        keyring: () => syscall(250, 0, -3, 0), memfd: () => syscall(319, 0, 0), sharedMemory: () => syscall(29, 0, 4096, 0o1600),
        setuid: () => syscall(105, 1), outliveServer: () => syscall(157, 1, 0),
        unixSocket: () => syscall(41, 1, 1, 0), rawSocket: () => syscall(41, 2, 3, 1), packetSocket: () => syscall(41, 17, 3, 768),
        netlink: () => syscall(41, 16, 3, 0), ping: () => syscall(41, 2, 2, 1), ipv6: () => syscall(41, 10, 1, 0),
        x32: () => syscall(0x40000000 + 39),
        listenTcp: () => Deno.listen({ port: 0 }).close(),
        connectElsewhere: () => new Promise((done, fail) => net.connect(Number(port), '127.0.0.1', done).on('error', (error) => ['EACCES', 'EPERM'].includes(error.code) ? fail(error) : done(error.code))),
        nativeFromTmp: () => { fs.copyFileSync('/lib/x86_64-linux-gnu/libdl.so.2', '/tmp/lib.so'); return Deno.dlopen('/tmp/lib.so', {}); },
    };
    const fine = {
        tmp: () => { fs.writeFileSync('/tmp/x', 'x'); return fs.readFileSync('/tmp/x', 'utf8'); },
        getpid: () => syscall(39), thread: () => new Promise((done, fail) => { const worker = new Worker('data:text/javascript,postMessage(1)', { type: 'module' }); worker.onerror = fail; worker.onmessage = (event) => { worker.terminate(); done(event.data); }; }),
        tcp: () => syscall(41, 2, 1, 0), udp: () => syscall(41, 2, 2, 0), random: () => crypto.randomUUID(),
    };
    const outcome = async (way) => { try { return `did ${await way()}`; } catch (error) { return `refused: ${error.message}`; } };
    const report = { ways: {}, fine: {} };
    for (const [name, way] of Object.entries(ways)) report.ways[name] = await outcome(way);
    for (const [name, way] of Object.entries(fine)) report.fine[name] = await outcome(way);
    console.log(JSON.stringify(report));
";

pub(crate) fn deno() -> std::path::PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../node_modules/@deno");
    let configured = std::env::var_os("SLUICE_DENO").map(Into::into);
    configured.unwrap_or_else(|| {
        let platforms = fs::read_dir(root).expect("Deno is installed").flatten();
        let mut binaries = platforms.map(|platform| platform.path().join("deno"));
        let binary = binaries.find(|binary| binary.exists()).expect("a binary");
        binary.canonicalize().expect("a path")
    })
}

#[test]
#[cfg(target_arch = "x86_64")]
fn the_kernel_refuses_what_deno_would_allow() {
    if !has_private_tmp() {
        return;
    }
    let folder = tempfile::tempdir_in("/var/tmp").expect("a folder");
    let [component, tmp, cache] =
        ["component", "tmp", "cache"].map(|name| folder.path().join(name));
    for path in [&component, &tmp, &cache] {
        fs::create_dir(path).expect("a folder");
    }
    let program = component.join("try.mjs");
    fs::write(&program, TRY_EVERYTHING).expect("a file");
    let other = tempfile::NamedTempFile::new_in("/var/tmp").expect("a file");
    let server = shared_server(Backend::Sqlite);
    let deno = deno();
    let confinement = json!({
        "server": std::process::id(), "protections": walls(), "executable": [deno], "readable": [component], "writable": [tmp], "writable_mounts": [tmp], "revealed": [],
        "private_tmp": tmp, "working_folder": "/tmp", "announcements": null, "connect_ports": [9], "ipv6": false, "udp": true, "data_bytes": 1_610_612_736_u64,
    });
    let port = server.addr().rsplit(':').next().expect("a port");
    let output = Command::new(sluice_binary())
        .arg("sandbox-exec")
        .arg(confinement.to_string())
        .arg(&deno)
        .args(["run", "--quiet", "--allow-all", "--no-lock", "--no-config"])
        .arg(&program)
        .args([&server.pid().to_string(), port])
        .arg(other.path())
        .env_clear()
        .env("DENO_DIR", &cache)
        .env("TMPDIR", "/tmp")
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let report: Value = serde_json::from_str(&said).unwrap_or_else(|error| {
        panic!("{error}: {said}{}", String::from_utf8_lossy(&output.stderr))
    });
    let wrong = |kind: &str, start: &str| -> Vec<String> {
        let outcomes = report[kind].as_object().expect("outcomes").iter();
        let wrong =
            outcomes.filter(|(_, outcome)| !outcome.as_str().is_some_and(|o| o.starts_with(start)));
        wrong
            .map(|(name, outcome)| format!("{name}: {outcome}"))
            .collect()
    };
    assert_eq!(wrong("ways", "refused"), [""; 0]);
    assert_eq!(wrong("fine", "did"), [""; 0]);
}
