//! Logging in and out, signing up, and who one is.

use serde_json::{Value, json};
use sluice_testkit::{Backend, Server};

use super::{fixtures::Cli, home::Home};
use crate::support::{own_server, shared_server, unique_name};

fn url() -> &'static str {
    shared_server(Backend::Sqlite).url()
}

#[tokio::test]
async fn login_checks_the_key_and_keeps_it_for_the_commands_that_follow() {
    let (home, cli) = (Home::new(), Cli::new().await);
    let me = cli.api.get("/users/me").await.ok();
    let (name, email) = (&me["username"], &me["email"]);
    let (name, email) = (name.as_str().unwrap(), email.as_str().unwrap());
    let ran = home
        .run(&["login", "--url", url(), "--api-key", cli.api.key()])
        .await;
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert_eq!(ran.out, format!("Logged in as {name} ({email})\n"));
    assert!(ran.err.contains("config.toml"), "{}", ran.err);
    assert!(!ran.err.contains(cli.api.key()), "{}", ran.err);
    let expected = format!(
        "[profiles.default]\nurl = \"{}\"\napi_key = \"{}\"\n",
        url(),
        cli.api.key()
    );
    assert_eq!(home.config(), expected);

    let who = home.run(&["whoami"]).await;
    assert!(
        who.out.contains(name) && who.out.contains(url()),
        "{who:#?}"
    );
    let who = home.run(&["whoami", "--json"]).await;
    let who: Value = serde_json::from_str(&who.out).expect("JSON");
    assert_eq!((&who["id"], &who["url"]), (&me["id"], &json!(url())));
}

#[tokio::test]
async fn another_profile_is_used_until_it_is_switched_back() {
    let (home, one, other) = (Home::new(), Cli::new().await, Cli::new().await);
    for (profile, cli) in [("default", &one), ("work", &other)] {
        let args = [
            "login",
            "--url",
            url(),
            "--api-key",
            cli.api.key(),
            "--profile",
            profile,
        ];
        assert_eq!(home.run(&args).await.code, 0);
    }
    for (profile, cli) in [("work", &other), ("default", &one)] {
        let ran = home.run(&["profile", "use", profile]).await;
        assert_eq!(
            ran.out,
            format!("Using profile {profile} ({})\n", url()),
            "{ran:#?}"
        );
        let me = cli.api.get("/users/me").await.ok();
        let who = home.run(&["whoami", "--json"]).await;
        let who: Value = serde_json::from_str(&who.out).expect("JSON");
        assert_eq!(who["id"], me["id"]);
    }
    let ran = home.run(&["profile", "use", "elsewhere"]).await;
    assert_eq!(ran.code, 5);
    assert!(
        ran.err.contains("sluice login --profile elsewhere"),
        "{}",
        ran.err
    );
    let listed = home.run(&["profile", "list", "--json"]).await;
    let listed: Value = serde_json::from_str(&listed.out).expect("JSON");
    assert_eq!(
        listed[1],
        json!({ "name": "work", "url": url(), "current": false })
    );
}

#[tokio::test]
async fn a_key_that_its_owner_rotates_takes_the_place_of_the_old_one() {
    let (home, cli) = (Home::new(), Cli::new().await);
    for profile in ["default", "again"] {
        let args = ["login", "--url", url(), "--api-key", cli.api.key()];
        let ran = home
            .run(&[&args[..], &["--profile", profile]].concat())
            .await;
        assert_eq!(ran.code, 0, "{ran:#?}");
    }
    let ran = home.run(&["rotate-key"]).await;
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert!(ran.err.contains("profile again, default"), "{}", ran.err);
    assert_eq!(home.config().matches(ran.out.trim()).count(), 2);
    assert!(!home.config().contains(cli.api.key()));
    cli.api.get("/users/me").await.expect(401);
    let told = home.run(&["rotate-key", "--json"]).await;
    let told: Value = serde_json::from_str(&told.out).expect("JSON");
    let key = told["api_key"].as_str().expect("a key");
    assert_eq!(home.run(&["whoami"]).await.code, 0);

    let elsewhere = Home::new();
    let args = ["rotate-key", "--url", url(), "--api-key", key];
    let ran = elsewhere.run(&args).await;
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert!(ran.err.contains("No profile"), "{}", ran.err);
    assert_eq!(home.run(&["rotate-key"]).await.code, 4);
}

#[tokio::test]
async fn the_key_may_come_on_standard_input() {
    let cli = Cli::new().await;
    let key = format!("{}\n", cli.api.key());
    for args in [
        &["login", "--url", url()][..],
        &["login", "--url", url(), "--api-key", "-"],
    ] {
        let home = Home::new();
        let ran = home.feed(args, &key).await;
        assert_eq!(ran.code, 0, "{ran:#?}");
        assert!(home.config().contains(cli.api.key()), "{args:?}");
    }
}

#[tokio::test]
async fn a_login_that_fails_keeps_nothing() {
    let home = Home::new();
    let unknown = "0".repeat(32);
    for (args, code, words) in [
        (
            vec!["login", "--url", url(), "--api-key", &unknown],
            4,
            "API key",
        ),
        (
            vec!["login", "--url", url(), "--api-key", "abc"],
            1,
            "32 characters",
        ),
        (vec!["login", "--url", url()], 1, "--api-key"),
        (
            vec![
                "login",
                "--url",
                "http://127.0.0.1:1",
                "--api-key",
                &unknown,
            ],
            3,
            "http://127.0.0.1:1",
        ),
    ] {
        let ran = home.run(&args).await;
        assert_eq!(ran.code, code, "{args:?}: {ran:#?}");
        assert!(ran.err.contains(words), "{args:?}: {}", ran.err);
    }
    assert_eq!(home.config(), "");
}

#[tokio::test]
async fn profiles_stand_side_by_side_and_logout_forgets_one() {
    let (home, one, other) = (Home::new(), Cli::new().await, Cli::new().await);
    for (cli, profile) in [(&one, "default"), (&other, "work")] {
        let key = cli.api.key();
        let args = [
            "login",
            "--url",
            url(),
            "--api-key",
            key,
            "-p",
            profile,
            "--json",
        ];
        let ran = home.run(&args).await;
        let told: Value = serde_json::from_str(&ran.out).expect("JSON");
        assert_eq!(told["profile"], profile);
        assert!(told.get("api_key").is_none(), "{told}");
    }
    let listed = home.run(&["list", "profiles"]).await;
    let lines: Vec<&str> = listed.out.lines().collect();
    assert_eq!(lines[0], format!("{:9}CURRENT  URL", "NAME"));
    assert_eq!(lines[1], format!("{:9}{:9}{}", "default", "yes", url()));
    assert_eq!(lines[2], format!("{:9}{:9}{}", "work", "", url()));

    let who = home.run(&["whoami", "--profile", "work", "--json"]).await;
    let who: Value = serde_json::from_str(&who.out).expect("JSON");
    assert_eq!(who["api_key"], other.api.key());
    let ran = home.run(&["logout"]).await;
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, "Logged out of profile default\n")
    );
    assert_eq!(home.run(&["logout"]).await.code, 5);
    assert_eq!(home.run(&["whoami"]).await.code, 4);
    assert!(home.config().contains("[profiles.work]"));
}

#[tokio::test]
async fn signup_makes_an_account_where_the_server_allows_it() {
    let server = Server::start(own_server().arg("--allow-signup")).await;
    let home = Home::new();
    let name = unique_name();
    let args = [
        "signup",
        "--url",
        server.url(),
        "--username",
        &name,
        "--email",
        "a@b.c",
    ];
    let ran = home.run(&args).await;
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert_eq!(ran.out, format!("Logged in as {name} (a@b.c)\n"));
    let who = home.run(&["whoami"]).await;
    assert!(who.out.contains(&name), "{who:#?}");

    // The key that the profile has may be nowhere else.
    let again = home.run(&args).await;
    assert_eq!(again.code, 1);
    assert!(again.err.contains("--profile"), "{}", again.err);
}

#[tokio::test]
async fn signup_says_what_to_do_where_it_is_not_allowed_or_something_is_missing() {
    let home = Home::new();
    let args = [
        "signup",
        "--url",
        url(),
        "--username",
        "x",
        "--email",
        "a@b.c",
    ];
    let ran = home.run(&args).await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("--allow-signup"), "{}", ran.err);
    let ran = home
        .run(&["signup", "--url", url(), "--username", "x"])
        .await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("--email"), "{}", ran.err);
    assert_eq!(home.config(), "");
}
