//! Runs a file of tests in the sandbox of components, with its packages.

use std::{io, path::Path};

use sluice_code::PackageImport;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, BufReader},
    sync::mpsc,
};

use crate::{
    loading::{FILES, lay_out, link_packages},
    runtime::Runtime,
    sandbox::SandboxedChild,
    spec::LoadError,
    test_spec::{TestEnd, TestReport, TestSpec},
};

/// The package from which tests import the function that runs a component.
const HELPER_PACKAGE: &str = "sluice";
/// The last line of the runner, which repeats its exit code.
const FAILED: &str = ": Test failed";

impl Runtime {
    /// Runs tests to their end and passes each printed line to `line`.
    pub async fn test(
        &self,
        spec: &TestSpec<'_>,
        mut line: impl FnMut(&str),
    ) -> Result<TestEnd, LoadError> {
        let imports = spec.tree.packages().into_iter();
        let packages: Vec<PackageImport> = imports
            .filter(|package| package.request.name() != HELPER_PACKAGE)
            .collect();
        let folder = self.0.instance_folder()?;
        let code = folder.module("test");
        if !packages.is_empty() {
            let lock = self.0.packages.resolve(&packages, &None).await?;
            let modules = self.0.packages.modules(&lock, &None).await?;
            link_packages(&code, &modules).await?;
        }
        let file = lay_out(&code, &spec.tree.to_files()).await?;
        let (url, files) = (file_url(&file), format!("{}/", file_url(&code.join(FILES))));
        let sandbox = &self.0.sandbox;
        let command = sandbox.test_command(&folder, &file, &files, spec.report);
        let SandboxedChild {
            mut child,
            broker: _broker,
        } = sandbox.spawn(command, &folder)?;
        let watchdog = self.0.watch(&child, &folder)?;
        let (sender, mut lines) = mpsc::unbounded_channel();
        if let Some(stdout) = child.stdout.take() {
            tokio::spawn(read_lines(stdout, sender.clone()));
        }
        if let Some(stderr) = child.stderr.take() {
            tokio::spawn(read_lines(stderr, sender));
        }
        let harness = file_url(&sandbox.harness());
        while let Some(text) = lines.recv().await {
            // In this format a whole stack is one line.
            let is_harness_frame = spec.report != TestReport::Tap && text.contains(&harness);
            if !is_harness_frame && !text.ends_with(FAILED) {
                let text = text.replace(&url, spec.name).replace(&files, "");
                line(&renamed(&text, &file, spec.name));
            }
        }
        let status = child.wait().await?;
        Ok(match watchdog.overuse() {
            Some(overuse) => TestEnd::Killed(overuse.to_string()),
            None if status.success() => TestEnd::Passed,
            None if status.code().is_some() => TestEnd::Failed,
            None => TestEnd::Killed("it was killed by a signal".to_owned()),
        })
    }
}

fn file_url(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// The runner prints the path of the file relative to its folder. This replaces it by the name of the file.
fn renamed(line: &str, file: &Path, name: &str) -> String {
    let file = file.file_name().unwrap_or_default().to_string_lossy();
    match line.find(&*file) {
        Some(at) => {
            let start = line[..at].rfind([' ', '"']).map_or(0, |before| before + 1);
            format!("{}{name}{}", &line[..start], &line[at + file.len()..])
        }
        None => line.to_owned(),
    }
}

async fn read_lines(
    output: impl AsyncRead + Unpin,
    lines: mpsc::UnboundedSender<String>,
) -> io::Result<()> {
    let mut reader = BufReader::new(output);
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes).await? > 0 {
        let text = String::from_utf8_lossy(&bytes);
        let _ = lines.send(text.trim_end_matches(['\n', '\r']).to_owned());
        bytes.clear();
    }
    Ok(())
}
