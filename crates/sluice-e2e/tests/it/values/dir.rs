//! `dir` props and `STASH_DIR`: a folder of the process's own.

use serde_json::json;

use super::with_props;
use crate::support::{deploy, deploy_with, new_user};

#[tokio::test]
async fn a_dir_is_a_folder_that_exists_and_is_the_stash() {
    let code = with_props(
        "sync: { type: 'dir', accessMode: 'read-write', sync: true }",
        "const fs = require('fs'); fs.writeFileSync(`${this.sync}/a.txt`, 'content');
         this.$emit([this.sync.path === process.env.STASH_DIR, fs.readFileSync(`${process.env.STASH_DIR}/a.txt`, 'utf8'), this.sync.path.startsWith(process.env.TMPDIR), fs.statSync(this.sync.path).isDirectory()]);",
    );
    let api = new_user().await;
    let source = deploy(&api, &code).await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await,
        [json!([true, "content", true, true])]
    );
    // A form may send a value.
    deploy_with(&api, &code, json!({ "sync": { "type": "dir" } })).await;
}

#[tokio::test]
async fn code_without_the_prop_finds_a_stash_too() {
    let code = with_props(
        "",
        "const file = `${process.env.STASH_DIR || '/tmp'}/file`; require('fs').writeFileSync(file, 'x'); this.$emit(require('fs').readFileSync(file, 'utf8'));",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!("x")]);
}

#[tokio::test]
async fn a_dir_is_nobody_else_s() {
    let api = new_user().await;
    let props = "dir: 'dir', other: { type: 'string', optional: true }";
    let code = with_props(
        props,
        "const fs = require('fs'); if (!this.other) { fs.writeFileSync(`${this.dir}/secret`, 'x'); return this.$emit(this.dir.path); }
         const found = (folder) => { try { return fs.readdirSync(folder); } catch { return []; } };
         this.$emit([found(this.dir.path), found(this.other)]);",
    );
    let one = deploy(&api, &code).await;
    one.run(json!({})).await;
    let path = one.events(1).await.remove(0);
    let two = deploy_with(&api, &code, json!({ "other": path })).await;
    two.run(json!({})).await;
    // Both may have the same name for it: each sees its own.
    assert_eq!(two.events(1).await, [json!([[], []])]);
}
