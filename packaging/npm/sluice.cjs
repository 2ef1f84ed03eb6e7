#!/usr/bin/env node
// Starts the binary of the package for this platform.
"use strict";

const { spawn } = require("node:child_process");
const { version, optionalDependencies } = require("./package.json");

const platform = `${process.platform}-${process.arch}`;
const name = `@sluice/${platform}`;

/** The binary is in an optional dependency, of which npm installs the one for this platform. */
function findBinary() {
  try {
    return require.resolve(`${name}/sluice`);
  } catch {
    console.error(`sluice: ${reason()}`);
    process.exit(1);
  }
}

/** Why the binary is missing. */
function reason() {
  const packages = Object.keys(optionalDependencies);
  if (!packages.includes(name)) {
    return `version ${version} has no package for ${platform}, only ${packages.join(" and ")}. Build Sluice from source on Linux.`;
  }
  if (!process.report.getReport().header.glibcVersionRuntime) {
    return `the package ${name} needs Linux with glibc. This system has another C library.`;
  }
  return (
    `the package ${name} is not installed. Install again without --omit=optional, from a registry that has it; ` +
    "or install its file along with this one."
  );
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
