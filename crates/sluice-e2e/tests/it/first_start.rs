//! The first start on a machine that lacks Deno or certificates.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    net::TcpListener,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};
use sluice_testkit::{Terminal, scratch_folder, sluice_binary, wait_for};
use tempfile::TempDir;

use crate::sandbox::deno_binary;

const PATIENCE: Duration = Duration::from_secs(30);

/// A machine without Deno. Its npm waits until it may go on, and then installs a link to the real Deno.
struct Machine {
    folder: TempDir,
    address: String,
}

impl Machine {
    fn new() -> Machine {
        let folder = scratch_folder();
        let bin = folder.path().join("bin");
        fs::create_dir(&bin).expect("a folder");
        for tool in ["sh", "mkdir", "ln", "sleep"] {
            symlink(Path::new("/bin").join(tool), bin.join(tool)).expect("a link");
        }
        let npm = bin.join("npm");
        fs::write(&npm, npm_script(folder.path())).expect("npm");
        fs::set_permissions(&npm, fs::Permissions::from_mode(0o755)).expect("the mode");
        // A binary in the checkout would find the Deno of the checkout.
        fs::copy(sluice_binary(), folder.path().join("sluice")).expect("the binary");
        let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr());
        Machine {
            address: port.expect("a free port").to_string(),
            folder,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn serve(&self) -> Command {
        let mut command = Command::new(self.path("sluice"));
        command
            .args(["serve", "--no-starter", "--listen", &self.address])
            .arg("--data-dir")
            .arg(self.path("data"))
            .env_clear()
            .env("PATH", self.path("bin"))
            .env("HOME", self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command
    }

    /// Waits until requests are refused with this reason.
    async fn refuses_requests(&self, reason: &str) {
        let expected =
            format!(r#"{{"error":"the server is starting and {reason}: try again later"}}"#);
        let (status, body) = wait_for(PATIENCE, "requests to be answered", async || {
            self.health().await
        })
        .await;
        assert_eq!((status, body), (503, expected));
    }

    async fn is_healthy(&self) -> bool {
        self.health().await.is_some_and(|(status, _)| status == 200)
    }

    /// Status and body of the response of `/readyz`.
    async fn health(&self) -> Option<(u16, String)> {
        // Plain HTTP needs a TLS provider too. The error only means that one is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().tls_certs_only([]).no_proxy();
        let client = client.timeout(PATIENCE).build().expect("a client");
        let request = client.get(format!("http://{}/readyz", self.address));
        let response = request.send().await.ok()?;
        let status = response.status().as_u16();
        Some((status, response.text().await.ok()?))
    }
}

fn npm_script(folder: &Path) -> String {
    format!(
        "#!/bin/sh
        echo $$ > {folder}/npm.pid
        while [ ! -e {folder}/go ]; do sleep 0.05; done
        mkdir -p {folder}/data/deno/node_modules/@deno/here
        ln -s {deno} {folder}/data/deno/node_modules/@deno/here/deno
        ",
        folder = folder.display(),
        deno = deno_binary().display()
    )
}

fn rest_of_log(server: &mut Child) -> String {
    let mut text = String::new();
    let log = server.stderr.as_mut().expect("a pipe");
    log.read_to_string(&mut text).expect("the log");
    text
}

#[tokio::test]
async fn a_server_that_installs_deno_shows_it_and_answers_meanwhile() {
    let machine = Machine::new();
    let mut server = machine.serve().spawn().expect("it starts");
    machine.refuses_requests("installs Deno").await;
    let mut log = BufReader::new(server.stderr.take().expect("a pipe")).lines();
    let mut until = |part: &str| {
        let found = log
            .by_ref()
            .map_while(Result::ok)
            .find(|line| line.contains(part));
        assert!(found.is_some(), "the log has a line with {part}");
    };
    until("Deno not found; installing version");
    until("installing Deno; requests are answered with 503");
    fs::write(machine.path("go"), "").expect("a file");
    until("listening on");
    wait_for(PATIENCE, "the server to be healthy", async || {
        machine.is_healthy().await.then_some(())
    })
    .await;
    server.kill().expect("it runs");
    server.wait().expect("it ends");
}

#[tokio::test]
async fn a_server_that_installs_deno_stops_on_a_signal_and_ends_npm() {
    let machine = Machine::new();
    let mut server = machine.serve().spawn().expect("it starts");
    machine.refuses_requests("installs Deno").await;
    let npm = fs::read_to_string(machine.path("npm.pid")).expect("npm runs");
    let id = i32::try_from(server.id()).ok().and_then(Pid::from_raw);
    kill_process(id.expect("an id"), Signal::TERM).expect("it runs");
    assert!(server.wait().expect("it ends").success());
    let process = PathBuf::from(format!("/proc/{}/cmdline", npm.trim()));
    wait_for(PATIENCE, "npm to end", async || {
        let gone = fs::read(&process).unwrap_or_default().is_empty();
        gone.then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_server_that_asks_in_its_terminal_answers_meanwhile() {
    let machine = Machine::new();
    let data = machine.path("data").display().to_string();
    let args = ["serve", "--no-starter", "--listen", &machine.address];
    let args = [&args[..], &["--data-dir", &data]].concat();
    let env = [
        ("HOME", machine.path("").display().to_string()),
        ("SLUICE_DENO", deno_binary().display().to_string()),
    ];
    let env = env.map(|(name, value)| (name.to_owned(), value));
    let folder = machine.path("");
    let mut terminal = Terminal::start(machine.path("sluice"), &args, &env, &folder);
    terminal.wait_for_text("Your email address").await;
    machine
        .refuses_requests("waits for an answer in its terminal")
        .await;
    terminal.type_line("ada@example.com");
    wait_for(PATIENCE, "the server to be healthy", async || {
        machine.is_healthy().await.then_some(())
    })
    .await;
}

#[test]
fn a_machine_without_certificates_is_told_what_to_install() {
    let machine = Machine::new();
    let mut command = machine.serve();
    command
        .env("SSL_CERT_FILE", "/nonexistent")
        .env("SSL_CERT_DIR", "/nonexistent");
    let mut server = command.spawn().expect("it starts");
    assert!(!server.wait().expect("it ends").success());
    let log = rest_of_log(&mut server);
    assert!(
        log.contains("install the package `ca-certificates`"),
        "{log}"
    );
}
