//! `sluice completions`, and help that says where to put what it prints.

use std::process::Command;

use super::fixtures::{Folder, run};

#[tokio::test]
async fn each_shell_gets_a_script_that_knows_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let ran = run(&["completions", shell], &[]).await;
        assert_eq!(ran.code, 0, "{shell}: {}", ran.err);
        for command in ["workflows", "events", "rotate-key"] {
            assert!(ran.out.contains(command), "{shell}: {command}");
        }
        assert!(!ran.out.contains("sandbox"), "{shell}: {}", ran.out);
    }
    assert_eq!(run(&["completions", "nosuch"], &[]).await.code, 2);
    let help = run(&["completions", "--help"], &[]).await.out;
    assert!(
        help.contains("bash-completion/completions/sluice"),
        "{help}"
    );
}

#[tokio::test]
async fn bash_takes_the_script_and_completes_a_command() {
    let folder = Folder::new();
    let script = run(&["completions", "bash"], &[]).await.out;
    folder.put("sluice.bash", &script);
    let ask = format!(
        "source {}/sluice.bash; COMP_WORDS=(sluice des); COMP_CWORD=1; _sluice sluice des sluice; echo \"${{COMPREPLY[@]}}\"",
        folder.path()
    );
    let output = Command::new("bash")
        .args(["-c", &ask])
        .output()
        .expect("bash");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "describe\n",
        "{output:?}"
    );
}
