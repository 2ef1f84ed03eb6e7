//! Every page of the documentation as its reader would follow it: its commands run against a real server, in a home of their own,
//! and its components and workflows load. What needs more than that is marked on the page (`markdown`).

mod code;
mod command_pages;
mod expected;
pub(crate) mod markdown;
pub(crate) mod runner;
pub(crate) mod session;

use std::{
    collections::BTreeMap,
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
};

use rstest::rstest;
use sluice_testkit::{
    Api, Server, ServerInfo,
    receiver::{Answer, Receiver},
};

use self::{
    markdown::{Page, ServerOfPage},
    session::Session,
};
use crate::{starter, support::server_as_it_comes};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// What pages call the server, its public URL, everything else, and a receiver on the reader's machine.
const SERVER: &str = "http://127.0.0.1:3000";
const PUBLIC_URL: &str = "https://sluice.example.com";
const OUTSIDE: [&str; 2] = ["https://example.com", "https://api.example.com"];
const RECEIVER: &str = "8080";
/// The key of the reader.
const KEY: &str = "SLUICE_API_KEY=…";
/// Folders of the system, which are below the home of the test.
const SYSTEM: [&str; 6] = [
    "/var/lib/sluice",
    "/var/tmp",
    "/etc/sluice",
    "/backup/",
    "/root/",
    "/opt/sluice",
];

/// What the page of a server has on its machine: its URL, and the key of a user.
pub(crate) struct Place<'a> {
    pub(crate) url: &'a str,
    pub(crate) key: &'a str,
}

/// A session in which the addresses of pages are those of this machine.
pub(crate) fn session(place: &Place<'_>, outside: &Receiver) -> Session {
    let environment = [("SLUICE_URL", place.url), ("SLUICE_API_KEY", place.key)];
    let mut session = Session::start(&owned(&environment));
    localize(&mut session, place.url, outside);
    session.replace(KEY, &format!("SLUICE_API_KEY={}", place.key));
    session
}

/// A session for a page that starts a server itself.
fn session_without_server(outside: &Receiver) -> Session {
    let address = free_address();
    let environment = [("SLUICE_LISTEN", &*address), ("SLUICE_NO_STARTER", "true")];
    let mut session = Session::start(&owned(&environment));
    localize(&mut session, &format!("http://{address}"), outside);
    session
}

fn owned(environment: &[(&str, &str)]) -> BTreeMap<String, String> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    environment.iter().map(owned).collect()
}

fn localize(session: &mut Session, server: &str, outside: &Receiver) {
    session.replace(SERVER, server);
    session.replace(PUBLIC_URL, server);
    for name in OUTSIDE {
        session.replace(name, &outside.url(""));
    }
    let address = free_address();
    let port = address.rsplit(':').next().expect("a port");
    session.replace(RECEIVER, port);
    for folder in SYSTEM {
        let here = format!("{}/system{folder}", session.home().display());
        fs::create_dir_all(&here).expect("a folder");
        session.replace(folder, &here);
    }
}

fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("it is bound").to_string()
}

/// Runs a page against the server that it names.
async fn run(path: &Path) -> Result<(), String> {
    let page = Page::parse(&fs::read_to_string(path).expect("a page"));
    let folder = path.parent().expect("a folder");
    let outside = Receiver::start(|_| Answer::status(200));
    match page.server {
        ServerOfPage::Own => {
            let mut session = session_without_server(&outside);
            runner::run(&page, &mut session, None, folder).await
        }
        ServerOfPage::Operator => {
            let options = server_as_it_comes().arg("--allow-private-network");
            let server = Server::start(options).await;
            run_as(&page, folder, &server, &server.api(), &outside).await
        }
        ServerOfPage::User => {
            let api = starter::user().await;
            run_as(&page, folder, starter::server(), &api, &outside).await
        }
    }
}

async fn run_as(
    page: &Page,
    folder: &Path,
    server: &ServerInfo,
    api: &Api,
    outside: &Receiver,
) -> Result<(), String> {
    let place = Place {
        url: server.url(),
        key: api.key(),
    };
    let mut session = session(&place, outside);
    runner::run(page, &mut session, Some(api), folder).await
}

/// The Markdown files directly in a folder, in order.
fn pages_in(folder: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(Path::new(ROOT).join(folder)).expect("a folder");
    let files = files.map(|file| file.expect("a file").path());
    let is_page = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    let mut pages: Vec<PathBuf> = files.filter(is_page).collect();
    pages.sort();
    pages
}

/// The folders whose pages are run. The tests of `examples` run theirs, `readme` types that of the repository, and `command_pages` those of `docs/cli`.
#[rstest]
#[case::introduction(&["docs", "docs/api/index.md", "packaging/npm"])]
#[case::connect(&["docs/connect"])]
#[case::guide(&["docs/guide"])]
#[case::operate(&["docs/operate"])]
#[case::commands(&["docs/cli/README.md"])]
#[tokio::test]
async fn the_commands_of_every_page_work_as_printed(#[case] of: &[&str]) {
    let mut errors = Vec::new();
    for page in of.iter().flat_map(|name| pages_of(name)) {
        if let Err(error) = run(&page).await {
            errors.push(format!("{}: {error}", page.display()));
        }
    }
    assert!(errors.is_empty(), "{}", errors.join("\n\n"));
}

fn pages_of(name: &str) -> Vec<PathBuf> {
    let path = Path::new(ROOT).join(name);
    if path.is_file() {
        vec![path]
    } else {
        pages_in(name)
    }
}

#[test]
fn every_folder_of_the_documentation_has_a_test() {
    let known = ["api", "cli", "connect", "guide", "operate"];
    let folders = fs::read_dir(Path::new(ROOT).join("docs")).expect("the documentation");
    let folders = folders.map(|folder| folder.expect("a folder").file_name());
    for name in folders.map(|name| name.to_string_lossy().into_owned()) {
        let has_pages = !name.starts_with('.')
            && name != "node_modules"
            && Path::new(ROOT).join("docs").join(&name).is_dir()
            && !pages_in(&format!("docs/{name}")).is_empty();
        assert!(
            !has_pages || known.contains(&&*name),
            "docs/{name} is not run"
        );
    }
}
