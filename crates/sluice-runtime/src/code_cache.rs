//! Fills Deno's cache of compiled code when the server starts. Without it every start takes a third longer.
//!
//! Component processes cannot write to it, so a process that runs only the harness does.

use std::{
    io::{self, BufRead, BufReader},
    path::Path,
};

use crate::{deno_process::InstanceFolder, sandbox::Sandbox, spec::Preload};

pub(crate) fn fill(sandbox: &Sandbox, run_folder: &Path) {
    if !sandbox.has_landlock() {
        return;
    }
    let folder = InstanceFolder(run_folder.join("warm-up"));
    let is_new = !sandbox.deno_dir(&folder).exists();
    let mut filled = run_harness(sandbox, &folder, Preload::NodeModules);
    if is_new && filled.is_ok() {
        // The first process that opens a database of the filled cache writes statistics into it, and ignores the cache if it
        // cannot. So this one must not be a component either.
        filled = run_harness(sandbox, &folder, Preload::Nothing);
    }
    if let Err(error) = filled {
        tracing::debug!(%error, "cannot fill code cache; components start more slowly");
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
        // It writes its first line when everything is compiled.
        BufReader::new(stdout).read_line(&mut String::new())?;
    }
    // A regular exit would remove files without which processes that cannot write to the cache cannot read it either.
    child.kill()?;
    child.wait()?;
    Ok(())
}
