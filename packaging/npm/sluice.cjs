#!/usr/bin/env node
// Starts the binary of the package for this platform.
"use strict";

const { spawn } = require("node:child_process");

const name = `@sluice/${process.platform}-${process.arch}`;

/** The binary is in an optional dependency, of which npm installs the one for this platform. */
function findBinary() {
  try {
    return require.resolve(`${name}/sluice`);
  } catch {
    console.error(
      `sluice: the package ${name} is not installed. Sluice runs on Linux with glibc, on x64 and arm64. ` +
        "If this is such a machine, install again without --omit=optional.",
    );
    process.exit(1);
  }
}

const child = spawn(findBinary(), process.argv.slice(2), { stdio: "inherit" });
// A terminal sends its signals to the child, too. This process ends when the child does.
for (const signal of ["SIGINT", "SIGQUIT"]) process.on(signal, () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`sluice: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
