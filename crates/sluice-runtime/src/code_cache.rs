//! Fills Deno's cache of compiled code when the server starts. Without it every start takes a third longer.
//!
//! Component processes cannot write to it, so a process that runs only the harness does. A cache that the same Deno and the
//! same harness filled is left as it is.

use std::{
    fs,
    io::{self, BufRead, BufReader},
    path::Path,
};

use sha2::{Digest, Sha256};

use crate::{assets, deno_process::InstanceFolder, sandbox::Sandbox, spec::Preload};

/// Says for what the cache was filled.
const FILLED_FOR: &str = "filled-for";
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

pub(crate) fn fill(sandbox: &Sandbox, run_folder: &Path) {
    if !sandbox.has_landlock() {
        return;
    }
    let folder = InstanceFolder(run_folder.join("warm-up"));
    if let Err(error) = fill_once(sandbox, &folder) {
        tracing::debug!(%error, "cannot fill code cache; components start more slowly");
    }
}

fn fill_once(sandbox: &Sandbox, folder: &InstanceFolder) -> io::Result<()> {
    let cache = sandbox.deno_dir(folder);
    let mark = cache.join(FILLED_FOR);
    let wanted = fingerprint(sandbox)?;
    if fs::read(&mark).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    if let Err(error) = fs::remove_dir_all(&cache)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    run_harness(sandbox, folder, Preload::NodeModules)?;
    // The first process that opens a database of the filled cache writes statistics into it, and ignores the cache if it
    // cannot. So this one must not be a component either.
    run_harness(sandbox, folder, Preload::Nothing)?;
    fs::write(mark, wanted)
}

/// Changes with the Deno binary, the harness, and its folder, which the cache knows it by. It also changes when the machine
/// starts, because a power cut can tear the cache.
fn fingerprint(sandbox: &Sandbox) -> io::Result<[u8; 32]> {
    let deno = fs::metadata(sandbox.deno())?;
    let boot = fs::read_to_string(BOOT_ID).unwrap_or_default();
    let paths = (sandbox.deno(), sandbox.harness());
    let facts = (paths, deno.len(), deno.modified()?, boot);
    let mut hash = Sha256::new();
    hash.update(format!("{facts:?}"));
    assets::files().for_each(|(name, content)| hash.update(format!("{name:?} {content:?}")));
    Ok(hash.finalize().into())
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
