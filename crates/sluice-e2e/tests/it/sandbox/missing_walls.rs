//! Where a wall is missing, the server says so once and components run all the same.

use serde_json::json;
use sluice_testkit::Server;

use super::attempt;
use crate::support::server_as_it_comes;

#[tokio::test]
async fn with_its_data_below_tmp_the_server_says_that_tmp_is_not_private_and_tmpdir_works() {
    let folder = tempfile::tempdir_in("/tmp").expect("a folder");
    let server = Server::start(server_as_it_comes().data_dir(folder.path())).await;
    let expressions = [
        "fs.writeFileSync(`${require('os').tmpdir()}/x`, 'x'), fs.readdirSync(tmp)",
        "process.cwd() === tmp",
        "fs.writeFileSync('/tmp/x', 'x')",
        "fs.readdirSync('/tmp')",
    ];
    let outcomes = attempt(&server.api(), &expressions, json!({})).await;
    assert_eq!(
        outcomes,
        [
            json!(["allowed", "stash,x"]),
            json!(["allowed", "true"]),
            json!("refused"),
            json!("refused"),
        ]
    );
    let said = server.logs();
    let warnings = said
        .lines()
        .filter(|line| line.contains("sandbox is incomplete"));
    assert_eq!(warnings.count(), 1, "{said}");
    assert!(said.contains("no /tmp of their own"), "{said}");
}
