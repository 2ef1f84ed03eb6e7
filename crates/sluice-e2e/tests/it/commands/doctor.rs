//! `sluice doctor`

use serde_json::Value;

use super::fixtures::run;

#[tokio::test]
async fn it_lists_every_protection_and_fails_if_one_is_missing() {
    let ran = run(&["doctor"], &[]).await;
    for name in ["files", "system calls", "connections", "network", "mounts"] {
        assert!(ran.out.contains(name), "{name}: {}", ran.out);
    }
    let found = run(&["doctor", "--json"], &[]).await;
    let walls: Vec<Value> = serde_json::from_str(&found.out).expect("JSON");
    let complete = walls.iter().all(|wall| wall["present"] == true);
    assert_eq!((ran.code == 0, found.code == 0), (complete, complete));
    assert_eq!(ran.out.contains("is missing"), !complete, "{}", ran.out);
}
