#!/usr/bin/env node
// Fails when files of a crate import each other in a cycle.
//
//   node scripts/check-cycles.mjs
import { readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { cyclesOf, edgesOf } from "./cycles/graph.mjs";
import { readCrate } from "./cycles/modules.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");

function edgesOfCrates() {
  const crates = readdirSync(join(ROOT, "crates")).map((name) => join(ROOT, "crates", name));
  const edges = crates.flatMap(readCrate).flatMap(edgesOf);
  return edges.map((edge) => ({ ...edge, from: relative(ROOT, edge.from), to: relative(ROOT, edge.to) }));
}

function describe(cycle, edges) {
  const isInside = ({ from, to }) => cycle.includes(from) && cycle.includes(to);
  const lines = edges.filter(isInside).map(({ from, to, path, line }) => `  ${from}:${line} -> ${to} (${path})`);
  return [`cycle of ${cycle.length} files:`, ...lines].join("\n");
}

const edges = edgesOfCrates();
const cycles = cyclesOf(edges);
for (const cycle of cycles) console.error(describe(cycle, edges));
if (cycles.length > 0) process.exit(1);
