//! Filling Deno's cache of compiled code, which costs a third of every start when it is empty.
//!
//! Component processes cannot write it, so one that runs nothing but the harness does so when the server starts.

use std::io::{self, BufRead, BufReader};

use super::Sandbox;
use crate::{process::InstanceFolder, spec::Preload};

pub(super) fn fill_code_cache(sandbox: &Sandbox) {
    let folder = InstanceFolder(sandbox.folder.join("run").join("warm-up"));
    let is_new = !sandbox.deno_dir(&folder).exists();
    let mut filled = run_harness(sandbox, &folder, Preload::NodeModules);
    if is_new && filled.is_ok() {
        // Whoever opens a database of this cache for the first time after it was filled wants to write statistics into it, and
        // goes without the cache when that fails. So the first one is no component's process, either.
        filled = run_harness(sandbox, &folder, Preload::Nothing);
    }
    if let Err(error) = filled {
        tracing::debug!(%error, "the code cache could not be filled; components start more slowly");
    }
}

fn run_harness(sandbox: &Sandbox, folder: &InstanceFolder, preload: Preload) -> io::Result<()> {
    std::fs::create_dir_all(folder.code())?;
    std::fs::create_dir_all(folder.tmp())?;
    let cache = sandbox.deno_dir(folder);
    std::fs::create_dir_all(&cache)?;
    let mut confinement = sandbox.confinement(folder);
    confinement.writable.push(cache);
    let mut child = sandbox
        .command_inside(folder, &confinement, preload)
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
