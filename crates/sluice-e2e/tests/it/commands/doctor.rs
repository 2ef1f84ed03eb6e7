//! `sluice doctor`

use serde_json::Value;

use super::fixtures::run;

#[tokio::test]
async fn it_lists_every_protection_and_fails_without_one_that_is_not_optional() {
    let ran = run(&["doctor"], &[]).await;
    for name in [
        "files",
        "system calls",
        "connections",
        "network",
        "mounts",
        "accounts",
    ] {
        assert!(ran.out.contains(name), "{name}: {}", ran.out);
    }
    let found = run(&["doctor", "--json"], &[]).await;
    let walls: Vec<Value> = serde_json::from_str(&found.out).expect("JSON");
    let missing: Vec<&Value> = walls
        .iter()
        .filter(|wall| wall["present"] == false)
        .collect();
    let enough = missing.iter().all(|wall| wall["is_optional"] == true);
    assert_eq!((ran.code == 0, found.code == 0), (enough, enough));
    assert_eq!(
        ran.out.matches("is missing").count(),
        missing.len(),
        "{}",
        ran.out
    );
}
