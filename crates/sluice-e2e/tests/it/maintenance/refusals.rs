//! Backups that cannot be made or restored: the error says why, and no server starts on a half.

use std::fs;

use rstest::rstest;
use sluice_testkit::{Backend, Server, scratch_folder};

use super::site::Site;

/// A stopped server, and its backup with the key.
async fn backed_up(backend: Backend) -> (Site, tempfile::TempDir, String, String) {
    let site = Site::new(backend);
    let mut server = site.start().await;
    server.terminate().await;
    let folder = scratch_folder();
    let secret = folder.path().join("secret");
    fs::write(&secret, "right").expect("a file");
    let secret = secret.to_str().expect("a path in UTF-8").to_owned();
    let file = folder.path().join("sluice.backup");
    let more = ["--with-key", "--passphrase-file", &secret];
    let file = site.backup(&file, &more).await;
    (site, folder, file, secret)
}

#[tokio::test]
async fn a_backup_that_cannot_be_restored_says_why() {
    let (_site, folder, file, secret) = backed_up(Backend::Sqlite).await;
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("a file");
        path.to_str().expect("a path in UTF-8").to_owned()
    };
    let whole = fs::read(&file).expect("the backup");
    let wrong = put("wrong", b"wrong");
    let cut = put("cut", &whole[..whole.len() - 100]);
    let mut bytes = whole.clone();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let changed = put("changed", &bytes);
    let text = put("text", b"this is a file of another program");

    let target = Site::new(Backend::Sqlite);
    for (args, expected) in [
        (
            vec![file.as_str(), "--passphrase-file", &wrong],
            "wrong passphrase",
        ),
        (
            vec![file.as_str()],
            "the passphrase is missing: use --passphrase-file",
        ),
        (
            vec![cut.as_str(), "--passphrase-file", &secret],
            "was changed or cut off",
        ),
        (
            vec![changed.as_str(), "--passphrase-file", &secret],
            "was changed or cut off",
        ),
        (vec![text.as_str()], "this is no backup of Sluice"),
        (
            vec!["/nowhere/sluice.backup"],
            "cannot open /nowhere/sluice.backup",
        ),
    ] {
        let error = target
            .run(&[&["restore"][..], &args].concat())
            .await
            .error();
        assert!(error.contains(expected), "{expected}: {error}");
        assert!(!target.folder().join("sluice.db").exists(), "{expected}");
    }
    // After all these errors the folder is still empty.
    let args = ["restore", &file, "--passphrase-file", &secret];
    target.run(&args).await.ok();
    target.start().await;
}

#[rstest]
#[case::sqlite(Backend::Sqlite, "is not empty: it has ")]
#[case::postgres(Backend::Postgres, "has tables already")]
#[tokio::test]
async fn a_target_with_data_is_refused(#[case] backend: Backend, #[case] expected: &str) {
    let (site, _folder, file, secret) = backed_up(backend).await;
    let args = ["restore", &file, "--passphrase-file", &secret];
    let error = site.run(&args).await.error();
    assert!(error.contains(expected), "{error}");
    let server = site.start().await;
    let error = site.run(&args).await.error();
    let is_refused = error.contains(expected) || error.contains("in use by another server");
    assert!(is_refused, "{error}");
    drop(server);
}

#[tokio::test]
async fn the_key_is_only_in_an_encrypted_backup_and_must_fit() {
    let (site, folder, _, _) = backed_up(Backend::Sqlite).await;
    let plain = folder.path().join("plain");
    let plain = plain.to_str().expect("a path in UTF-8");
    let error = site.run(&["backup", plain, "--with-key"]).await.error();
    assert!(error.contains("the passphrase is missing"), "{error}");
    assert!(!fs::exists(plain).expect("a path"));
    site.run(&["backup", plain]).await.ok();
    let leftovers = fs::read_dir(folder.path()).expect("the folder").count();
    assert_eq!(leftovers, 3, "no unfinished file");

    // Another key than that of the database.
    let target = Site::new(Backend::Sqlite);
    fs::create_dir_all(target.folder()).expect("a folder");
    fs::write(target.folder().join("master.key"), "ab".repeat(32)).expect("a file");
    let error = target.run(&["restore", plain]).await.error();
    assert!(error.contains("is not the one of this database"), "{error}");
    fs::remove_file(target.folder().join("master.key")).expect("the file");
    // Without a key it is restored, and the server asks for it.
    let report = target.run(&["restore", plain]).await.ok();
    assert!(report.contains("has no master key"), "{report}");
    let (_, log) = Server::start_refused(target.options()).await;
    assert!(
        log.contains("the master key of this database is missing"),
        "{log}"
    );
    fs::copy(
        site.folder().join("master.key"),
        target.folder().join("master.key"),
    )
    .expect("the key");
    target.start().await;
}

#[tokio::test]
async fn a_backup_of_nothing_fails_and_writes_no_file() {
    let site = Site::new(Backend::Sqlite);
    let folder = scratch_folder();
    let file = folder.path().join("sluice.backup");
    let file = file.to_str().expect("a path in UTF-8");
    let error = site.run(&["backup", file]).await.error();
    assert!(error.contains("there is no database at"), "{error}");
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 0);
}
