// Prints a shell script that does what a container engine does with a Dockerfile, on a system that stands in for its base image.
// The packages are at /packages. After the build it runs `first-event` with the entry point, and the health check meanwhile.
//
//   node dockerfile-steps.mjs DOCKERFILE
import { readFileSync } from "node:fs";

const text = readFileSync(process.argv[2], "utf8");
const lines = text
  .replaceAll(/^#.*\n/gm, "")
  .replaceAll(/\\\n/g, " ")
  .split("\n");
const steps = lines.filter((line) => line.trim()).map((line) => line.match(/^(\w+)\s+(.*)$/).slice(1));

const shell = { user: "root", workdir: "/", entrypoint: [], check: [] };
const out = ["#!/bin/bash", "set -euo pipefail"];
const quoted = (words) => words.map((word) => `'${word}'`).join(" ");
const json = (value) => JSON.parse(value.slice(value.indexOf("[")));

const instructions = {
  FROM: (image) => out.push(`# ${image}`),
  ARG: (value) => out.push(`export ${value}`),
  ENV: (value) => out.push(`export ${value}`),
  RUN: (value) => out.push(`sh -c '${value.replace(/--mount=\S+/, "").replaceAll("'", `'\\''`)}'`),
  USER: (value) => (shell.user = value),
  WORKDIR: (value) => (shell.workdir = value),
  HEALTHCHECK: (value) => (shell.check = json(value)),
  ENTRYPOINT: (value) => (shell.entrypoint = json(value)),
  CMD: (value) => out.push(`[[ ${quoted(json(value))} == serve ]]`),
  VOLUME: (value) => out.push(`[[ -d ${value} ]]`),
  EXPOSE: (value) => out.push(`[[ $SLUICE_LISTEN == *:${value} ]]`),
  STOPSIGNAL: (value) => out.push(`[[ ${value} == SIGTERM ]]`),
};
for (const [name, value] of steps) {
  const instruction = instructions[name];
  if (!instruction) throw new Error(`no support for ${name}`);
  instruction(value);
}

out.push(
  `cd ${shell.workdir}`,
  `export HOME=${shell.workdir} WHEN_HEALTHY=${quoted(shell.check)}`,
  `[[ $(id -u ${shell.user}) != 0 ]]`,
  `if ${quoted(shell.check)} 2>/dev/null; then echo "healthy without a server" >&2; exit 1; fi`,
  `unshare --net bash -c 'ip link set lo up && exec setpriv --reuid=${shell.user} --regid=${shell.user} --init-groups \\
  --no-new-privs --bounding-set=-all --inh-caps=-all /inside/first-event ${shell.entrypoint.join(" ")}'`,
);
console.log(out.join("\n"));
