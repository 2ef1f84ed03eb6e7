//! Finding the server, and saying what to do when it cannot be found.

use super::fixtures::{Cli, Folder, run};
use crate::support::new_user;

fn env(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

#[tokio::test]
async fn without_a_key_it_says_where_to_get_one() {
    let folder = Folder::new();
    let home = env(&[("XDG_CONFIG_HOME", folder.path())]);
    let ran = run(&["export", folder.path()], &home).await;
    assert_eq!(ran.code, 4);
    assert!(ran.err.contains("SLUICE_API_KEY"), "{}", ran.err);
}

#[tokio::test]
async fn a_key_that_the_server_does_not_know_is_named_as_the_reason() {
    let cli = Cli::new().await;
    let folder = Folder::new();
    let ran = cli
        .run(&["export", folder.path(), "--api-key", &"0".repeat(32)])
        .await;
    assert_eq!(ran.code, 4);
    assert!(ran.err.contains("API key"), "{}", ran.err);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_with_what_to_do() {
    let api = new_user().await;
    let folder = Folder::new();
    let env = env(&[("SLUICE_API_KEY", api.key())]);
    let ran = run(
        &["export", folder.path(), "--url", "http://127.0.0.1:1"],
        &env,
    )
    .await;
    assert_eq!(ran.code, 3);
    for words in ["http://127.0.0.1:1", "sluice serve", "--url"] {
        assert!(ran.err.contains(words), "{words}: {}", ran.err);
    }
}

#[tokio::test]
async fn usage_errors_exit_with_2() {
    assert_eq!(run(&["export"], &[]).await.code, 2);
    assert_eq!(run(&["apply", "x", "--no-such"], &[]).await.code, 2);
}

#[tokio::test]
async fn help_names_every_command_and_the_environment_but_never_the_key() {
    let help = run(&["--help"], &[]).await;
    assert_eq!(help.code, 0);
    for command in ["serve", "export", "apply", "login", "list", "events"] {
        assert!(
            help.out.contains(&format!("\n  {command} ")),
            "{}",
            help.out
        );
    }
    for group in ["Develop", "Inspect", "Manage", "Operate"] {
        assert!(help.out.contains(&format!("\n{group}\n")), "{}", help.out);
    }
    assert!(!help.out.contains('\u{1b}'), "{}", help.out);
    let key = "0123456789abcdef0123456789abcdef";
    let help = run(&["apply", "--help"], &env(&[("SLUICE_API_KEY", key)])).await;
    assert!(help.out.contains("SLUICE_URL"), "{}", help.out);
    assert!(!help.out.contains(key), "{}", help.out);
}
