//! Filling Deno's cache of compiled code, which costs a third of every start when it is empty.
//!
//! Component processes cannot write it, so one that runs nothing but the harness does so when the server starts.

use std::io::{self, BufRead, BufReader};

use super::Sandbox;
use crate::{process::InstanceFolder, spec::Preload};

pub(super) fn fill_code_cache(sandbox: &Sandbox) {
    if let Err(error) = run_harness(sandbox) {
        tracing::debug!(%error, "the code cache could not be filled; components start more slowly");
    }
}

fn run_harness(sandbox: &Sandbox) -> io::Result<()> {
    let folder = InstanceFolder(sandbox.folder.join("run").join("warm-up"));
    std::fs::create_dir_all(folder.code())?;
    std::fs::create_dir_all(folder.tmp())?;
    let cache = sandbox.deno_dir(&folder);
    std::fs::create_dir_all(&cache)?;
    let mut confinement = sandbox.confinement(&folder);
    confinement.writable.push(cache);
    let mut child = sandbox
        .command_inside(&folder, &confinement, Preload::NodeModules)
        .spawn()?;
    if let Some(stdout) = child.stdout.take() {
        // Its first line says that everything is compiled.
        BufReader::new(stdout).read_line(&mut String::new())?;
    }
    // Killed, not ended: a tidy end removes the files without which nobody can read the cache unless they may write it.
    child.kill()?;
    child.wait()?;
    Ok(())
}
