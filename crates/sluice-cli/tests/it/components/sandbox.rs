//! What a component cannot do, whatever it tries.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::Backend;

use super::manual;
use crate::support::{deploy, new_user, shared_server};

/// Runs an expression inside a component: "refused" when it throws for want of permission.
async fn attempt(expression: &str, input: serde_json::Value) -> serde_json::Value {
    let code = manual(&format!(
        "const fs = require('fs'); let result; try {{ result = await ({expression}); }} catch (error) {{
            const refused = /NotCapable|PermissionDenied|EACCES|EPERM|ERR_ACCESS_DENIED|Requires .* access/.test([error.name, error.code, error.message].join(' '));
            return this.$emit(refused ? 'refused' : `${{error.name}}: ${{error.message}}`); }}
         this.$emit(['allowed', String(result)]);"
    ));
    let source = deploy(&new_user().await, &code).await;
    source.run(input).await;
    source.events(1).await.remove(0)
}

#[rstest]
#[case::a_file_of_the_system("fs.readFileSync('/etc/passwd', 'utf8')")]
#[case::the_folders_of_the_system("fs.readdirSync('/')")]
#[case::the_process_table("fs.readFileSync('/proc/self/environ', 'utf8')")]
#[case::the_parent_s_environment("fs.readFileSync(`/proc/${process.ppid}/environ`, 'utf8')")]
#[case::a_link_out_of_the_folder(
    "(fs.symlinkSync('/etc/passwd', `${process.env.TMPDIR}/link`), fs.readFileSync(`${process.env.TMPDIR}/link`, 'utf8'))"
)]
#[case::the_folders_above("fs.readdirSync(`${process.env.TMPDIR}/../..`)")]
#[case::writing_elsewhere("fs.writeFileSync('/var/tmp/sluice-was-here', 'x')")]
#[case::writing_its_own_code(
    "fs.writeFileSync(`${process.env.TMPDIR}/../component/component.cjs`, 'x')"
)]
#[case::a_shell("require('child_process').execSync('id').toString()")]
#[case::a_subprocess(
    "require('child_process').spawnSync('/bin/true').error ?? Promise.reject(new Error('it ran'))"
)]
#[case::a_subprocess_of_deno("new Deno.Command('/bin/true').output()")]
#[case::native_code("Deno.dlopen('libc.so.6', {})")]
#[case::more_permissions(
    "Deno.permissions.request({ name: 'run' }).then(({ state }) => state === 'granted' ? state : Promise.reject(Object.assign(new Error(), { name: 'NotCapable' })))"
)]
#[case::a_server_on_all_addresses("Deno.listen({ hostname: '0.0.0.0', port: 0 })")]
#[case::a_signal_to_the_server("process.kill(process.ppid, 0)")]
#[tokio::test]
async fn it_is_refused(#[case] expression: &str) {
    let outcome = attempt(expression, json!({})).await;
    assert_eq!(outcome, "refused", "{expression}");
}

#[tokio::test]
async fn the_server_s_data_folder_is_refused() {
    let folder = shared_server(Backend::Sqlite).data_dir();
    for file in ["sluice.db", "master.key"] {
        let path = folder.join(file);
        assert!(path.exists());
        assert_eq!(
            attempt("fs.readFileSync(event.path)", json!({ "path": path })).await,
            "refused",
            "{file}"
        );
    }
}
