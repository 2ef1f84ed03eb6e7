//! Components that put links in the way of files that the server writes for them.

use std::{fs, os::unix::fs::symlink, path::PathBuf};

use sluice_testkit::{Method, Server, wait_for};

use crate::{
    support::{PATIENCE, own_server},
    workflows::fixtures::{Workflow, deploy_running},
};

/// Waits, with the uploaded file, until it is told to go on. The server writes the file again for the next step.
const PAUSE: &str = "const fs = await import('fs'), path = await import('path');
    const tmp = path.dirname(path.dirname(steps.trigger.event.body.photo.path));
    fs.writeFileSync(path.join(tmp, 'paused'), '');
    while (!fs.existsSync(path.join(tmp, 'go'))) await new Promise((done) => setTimeout(done, 10));";
const READ: &str =
    "return (await import('fs')).readFileSync(steps.trigger.event.body.photo.path, 'utf8')";

/// Sends a file to a workflow. Returns the id of the run.
async fn upload(workflow: &Workflow) -> String {
    let body = "--cut\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"cat.txt\"\r\nContent-Type: text/plain\r\n\r\nmeow\r\n--cut--\r\n";
    let endpoint = workflow.endpoint().await;
    let request = workflow.api.absolute(Method::POST, &endpoint).body(body);
    let request = request.header("content-type", "multipart/form-data; boundary=cut");
    let accepted = request.send().await.expect(200);
    accepted["id"].as_str().expect("an id").to_owned()
}

/// The temporary folder of the process whose step pauses, and the folder of its upload.
async fn paused(server: &Server) -> (PathBuf, PathBuf) {
    let run = server.data_dir().join("runtime/run");
    wait_for(PATIENCE, "the first step", async || {
        let processes = fs::read_dir(&run).expect("a folder").flatten();
        let mut folders = processes.map(|process| process.path().join("tmp"));
        let tmp = folders.find(|tmp| tmp.join("paused").exists())?;
        let mut entries = fs::read_dir(&tmp).expect("a folder").flatten();
        let upload = entries.find(|entry| entry.path().join("cat.txt").exists())?;
        Some((tmp, upload.path()))
    })
    .await
}

#[tokio::test]
async fn a_link_in_place_of_the_folder_of_an_upload_leads_nowhere() {
    let server = Server::start(own_server()).await;
    let outside = sluice_testkit::scratch_folder();
    let workflow = deploy_running(&server.api(), &[("pause", PAUSE), ("read", READ)]).await;
    let run = upload(&workflow).await;
    let (tmp, folder) = paused(&server).await;
    // Deno refuses to make links. This stands for code that found a way around it.
    fs::remove_dir_all(&folder).expect("it can be removed");
    symlink(outside.path(), &folder).expect("a link");
    fs::write(tmp.join("go"), "").expect("a file");
    let run = workflow.ended(&run).await;
    assert_eq!(fs::read_dir(outside.path()).expect("a folder").count(), 0);
    let told = run.to_string();
    assert!(
        told.contains("an uploaded file could not be written"),
        "{told}"
    );
    assert!(told.contains("put something else in place"), "{told}");
}

#[tokio::test]
async fn a_link_in_place_of_an_upload_is_replaced_by_it() {
    let server = Server::start(own_server()).await;
    let outside = sluice_testkit::scratch_folder();
    let kept = outside.path().join("kept");
    fs::write(&kept, "kept").expect("a file");
    let workflow = deploy_running(&server.api(), &[("pause", PAUSE), ("read", READ)]).await;
    let run = upload(&workflow).await;
    let (tmp, folder) = paused(&server).await;
    fs::remove_file(folder.join("cat.txt")).expect("it can be removed");
    symlink(&kept, folder.join("cat.txt")).expect("a link");
    fs::write(tmp.join("go"), "").expect("a file");
    let run = workflow.ended(&run).await;
    assert_eq!(fs::read_to_string(&kept).expect("a file"), "kept");
    assert!(run.to_string().contains("meow"), "{run}");
}
