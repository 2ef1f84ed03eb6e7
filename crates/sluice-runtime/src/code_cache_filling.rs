//! Fills Deno's cache of compiled code.
//!
//! Component processes cannot write to it, so a process that runs only the harness fills it, in the background, once a few
//! processes have started: filling takes as long as several starts, and a new server answers sooner without it. A cache that
//! the same Deno and the same harness filled is used again.

use std::{fs, io, sync::Arc};

use sha2::{Digest, Sha256};

use crate::{
    assets, channel::Channel, deno_process::InstanceFolder, preload::Preload, sandbox::Sandbox,
};

/// Says for what the cache was filled.
const FILLED_FOR: &str = "filled-for";
/// The harness alone sends short lines.
const MAX_LINE: usize = 1024;
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";
/// The start of a process that makes the server fill the cache.
const FILLED_AFTER: usize = 10;

/// Uses the cache of the last start, if it is still good.
pub(crate) fn reuse(sandbox: &Sandbox) {
    let cache = sandbox.code_cache();
    let found = fs::read(cache.folder().join(FILLED_FOR));
    let is_good = found.is_ok_and(|found| fingerprint(sandbox).is_ok_and(|wanted| found == wanted));
    if is_good && sandbox.has_landlock() {
        cache.set_filled();
    }
}

/// Counts the start of a process. Returns whether it is the one after which the cache is filled.
///
/// It is only shared if Landlock prevents writes, because a process must not change code that another one runs, nor pass data
/// to it.
pub(crate) fn is_due(sandbox: &Sandbox) -> bool {
    let cache = sandbox.code_cache();
    cache.filled().is_none() && sandbox.has_landlock() && cache.count_start() == FILLED_AFTER
}

/// Fills the cache in the background, by processes in `folder`.
pub(crate) fn fill(sandbox: Arc<Sandbox>, folder: InstanceFolder) {
    tokio::spawn(async move {
        match fill_once(&sandbox, &folder).await {
            Ok(()) => sandbox.code_cache().set_filled(),
            Err(error) => {
                tracing::debug!(%error, "cannot fill code cache; components start more slowly");
            }
        }
    });
}

async fn fill_once(sandbox: &Sandbox, folder: &InstanceFolder) -> io::Result<()> {
    let cache = sandbox.code_cache().folder();
    if let Err(error) = fs::remove_dir_all(cache)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    run_harness(sandbox, folder, Preload::NodeModules).await?;
    // The first process that opens a database of the filled cache writes statistics into it, and ignores the cache if it
    // cannot. So this one must not be a component either.
    run_harness(sandbox, folder, Preload::Nothing).await?;
    fs::write(cache.join(FILLED_FOR), fingerprint(sandbox)?)
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

async fn run_harness(
    sandbox: &Sandbox,
    folder: &InstanceFolder,
    preload: Preload,
) -> io::Result<()> {
    let cache = sandbox.code_cache().folder();
    fs::create_dir_all(cache)?;
    let mut confinement = sandbox.harness_confinement(folder);
    confinement.writable.push(cache.to_owned());
    confinement.writable_mounts.push(cache.to_owned());
    let mut channel = Channel::create(folder, MAX_LINE)?;
    let mut command = sandbox.command_inside(folder, &confinement, preload);
    command.env("DENO_DIR", cache);
    let mut started = sandbox.spawn(command, folder)?;
    tokio::select! {
        // It sends its first message when everything is compiled.
        message = channel.next() => message.map(drop),
        ended = started.child.wait() => Err(io::Error::other(format!("the harness ended: {}", ended?))),
    }?;
    // A regular exit would remove files without which processes that cannot write to the cache cannot read it either.
    started.child.kill().await
}
