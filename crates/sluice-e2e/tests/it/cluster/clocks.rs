//! Nodes whose clocks are wrong have the time of the database.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use sluice_testkit::{Cluster, PUBLIC_URL, wait_for};

use super::{
    fault::{Fault, takeovers},
    history::sent_at,
    load::{Finished, Load},
    stage::{NODES, Stage},
};
use crate::support::PATIENCE;

/// Of each node, in seconds.
const WRONG_BY: [i64; NODES] = [0, 30, -30];
/// Far less than the clocks are wrong by, and longer than a takeover on a busy machine.
const RIGHT_MS: i64 = 15_000;

/// Replaces the function of the C library that reads the clock.
const SHIM: &str = "#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec *time) {
  int result = (int) syscall(SYS_clock_gettime, id, time);
  if (result == 0 && id == CLOCK_REALTIME) time->tv_sec += WRONG_BY;
  return result;
}
";

/// The library to load before all others. The compiler is the one that links Rust programs.
fn wrong_clock(folder: &Path, seconds: i64) -> PathBuf {
    let (source, library) = (folder.join("clock.c"), folder.join(format!("{seconds}.so")));
    fs::write(&source, SHIM).expect("room for the source");
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", &format!("-DWRONG_BY={seconds}"), "-o"])
        .args([&library, &source])
        .status();
    assert!(compiled.expect("a compiler").success());
    library
}

const TICKING: &str = r#"module.exports = {
  name: "ticking", version: "0.0.1",
  props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 2 } } },
  run(event) { this.$emit({ fired_at: event.timestamp }); },
};"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_with_clocks_30_seconds_apart_agree_on_the_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let nodes = WRONG_BY.map(|seconds| {
        let library = wrong_clock(folder.path(), seconds);
        Stage::options().env("LD_PRELOAD", library)
    });
    let mut stage = Stage::of(Cluster::start_each(PUBLIC_URL, nodes.to_vec()).await).await;
    let timers = stage.deploy(NODES, TICKING).await;
    let load = Load::start(&stage).await;
    let mut incidents = Vec::new();
    for turn in 0..NODES {
        let node = stage.victim(turn).await;
        incidents.push(stage.suffer(Fault::Kill, node).await);
    }

    for timer in &timers {
        wait_for(PATIENCE, "ticks of all owners", async || {
            let ticks = stage.ledger.events(&timer.id);
            for tick in &ticks {
                let fired_at = tick.number("fired_at") * 1_000;
                let late = tick.id.0 - i64::try_from(fired_at).expect("a time");
                assert!(late.abs() < RIGHT_MS, "fired {late} ms before its event");
            }
            (ticks.len() > NODES).then_some(())
        })
        .await;
    }
    let Finished {
        sources,
        mut report,
    } = load.finish(&stage, "clocks apart", incidents.len()).await;
    for source in &sources {
        for event in stage.ledger.events(&source.id) {
            let took = event.id.0 - sent_at(&event);
            assert!((-RIGHT_MS..RIGHT_MS).contains(&took), "{took} ms");
        }
    }
    report.takeovers = takeovers(&stage.ledger, &sources, &incidents);
    report.conclude();
}
