//! `$.send.email`, to a real mail server.

use std::{fs, path::Path};

use serde_json::{Value, json};
use sluice_testkit::{ServerOptions, wait_for};
use tempfile::TempDir;

use super::{
    node_server::NodeServer,
    post_office::{PostOffice, SendKind::Email},
};
use crate::support::{PATIENCE, own_server};

pub(crate) struct MailServer {
    folder: TempDir,
    node: NodeServer,
}

impl MailServer {
    pub(crate) fn start() -> MailServer {
        let folder = tempfile::tempdir().expect("a folder");
        let node = NodeServer::start("mail_server.mjs", &[folder.path().as_os_str()]);
        MailServer { folder, node }
    }

    pub(crate) fn options(&self, password: &str) -> ServerOptions {
        let url = format!("smtp://mailer:{password}@{}", self.node.address);
        own_server()
            .args(["--send-retries", "50ms,50ms"])
            .args(["--smtp-from", "Sluice <sluice@example.org>"])
            .env("SLUICE_SMTP_URL", url)
    }

    /// The mails to one address.
    pub(crate) async fn mails_to(&self, address: &str, count: usize) -> Vec<Value> {
        wait_for(PATIENCE, "mail", async || {
            let mut mails = read_all(self.folder.path());
            mails.retain(|mail| mail["to"] == json!([address]));
            (mails.len() >= count).then_some(mails)
        })
        .await
    }
}

fn read_all(folder: &Path) -> Vec<Value> {
    let files = fs::read_dir(folder).expect("the folder").flatten();
    files
        .map(|file| file.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .map(|path| {
            let text = fs::read_to_string(path).expect("a mail");
            serde_json::from_str(&text).expect("JSON")
        })
        .collect()
}

#[tokio::test]
async fn mail_goes_to_the_owner_with_text_and_html() {
    let mail_server = MailServer::start();
    let mut office = PostOffice::new(mail_server.options("p%40ss")).await;
    let (owner, other) = (office.user("owner").await, office.user("other").await);
    let order =
        json!({ "subject": "Grüße\r\nBcc: x@example.com", "text": "plain", "html": "<b>rich</b>" });
    let id = office.order(&owner, Email, &order);
    office.order(
        &other,
        Email,
        &json!({ "subject": "Hello", "html": "<i>only</i>" }),
    );
    office.open().await;
    let (result, tries) = office.sent(id).await;
    assert!(result.starts_with("250"), "{result}");
    assert_eq!(tries, 1);

    let mails = mail_server.mails_to("owner@example.com", 1).await;
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0]["from"], "sluice@example.org");
    let text = mails[0]["text"].as_str().expect("text");
    assert!(text.contains("multipart/alternative"), "{text}");
    assert!(
        text.contains("plain") && text.contains("<b>rich</b>"),
        "{text}"
    );
    assert!(text.contains("To: owner@example.com"), "{text}");
    assert!(
        text.contains(&format!("Message-ID: <{id}@example.org>")),
        "{text}"
    );
    assert!(!text.to_lowercase().contains("\nbcc"), "{text}");
    let mails = mail_server.mails_to("other@example.com", 1).await;
    let text = mails[0]["text"].as_str().expect("text");
    assert!(
        text.contains("text/html") && text.contains("Subject: Hello"),
        "{text}"
    );
}

#[tokio::test]
async fn what_the_mail_server_refuses_for_now_is_tried_again_and_the_rest_is_not() {
    let mail_server = MailServer::start();
    let mut office = PostOffice::new(mail_server.options("p%40ss")).await;
    let (busy, refused) = (office.user("busy").await, office.user("refused").await);
    let order = json!({ "subject": "Hello", "text": "x" });
    let [passes, fails] = [busy, refused].map(|user| office.order(&user, Email, &order));
    office.open().await;
    assert_eq!(office.sent(passes).await.1, 2);
    let (why, tries) = office.failed(fails).await;
    assert!(
        why.contains("550") && why.contains("no such mailbox"),
        "{why}"
    );
    assert_eq!(tries, 1);
    assert_eq!(mail_server.mails_to("busy@example.com", 1).await.len(), 1);
}

#[tokio::test]
async fn a_wrong_password_and_a_server_that_is_away_are_named() {
    let mail_server = MailServer::start();
    let mut office = PostOffice::new(mail_server.options("wrong")).await;
    let user = office.user("owner").await;
    let id = office.order(&user, Email, &json!({ "subject": "Hello" }));
    office.open().await;
    let (why, tries) = office.failed(id).await;
    assert!(why.contains("535") && !why.contains("wrong@"), "{why}");
    assert_eq!(tries, 1);
    drop(mail_server);
    let id = office.order(&user, Email, &json!({ "subject": "Hello" }));
    office.open().await;
    let (why, tries) = office.failed(id).await;
    assert!(why.starts_with("the mail server: "), "{why}");
    assert_eq!(tries, 3);
}

#[tokio::test]
async fn a_server_without_mail_says_so() {
    let mut office = PostOffice::new(own_server()).await;
    let user = office.user("owner").await;
    let id = office.order(&user, Email, &json!({ "subject": "Hello" }));
    office.open().await;
    let expected = "this server sends no mail: --smtp-url is not set";
    assert_eq!(office.failed(id).await, (expected.to_owned(), 1));
}
