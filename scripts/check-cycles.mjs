#!/usr/bin/env node
// Fails when files of a crate import each other in a cycle.
//
//   node scripts/check-cycles.mjs             checks crates/*
//   node scripts/check-cycles.mjs --shrink    removes from the list of known cycles what is solved
//
// scripts/known-cycles.txt has one line for each cycle that is accepted: its files, separated by spaces. The list can only
// shrink: a cycle with other files fails, and so does a line whose cycle is gone or has lost files.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { cyclesOf, edgesOf } from "./cycles/graph.mjs";
import { compare, readKnown, shrunk, writeKnown } from "./cycles/known.mjs";
import { readCrate } from "./cycles/modules.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const KNOWN = join(ROOT, "scripts/known-cycles.txt");

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
const known = existsSync(KNOWN) ? readKnown(readFileSync(KNOWN, "utf8")) : [];

if (process.argv.includes("--shrink")) {
  writeFileSync(KNOWN, writeKnown(shrunk(cycles, known)));
} else {
  const { added, solved } = compare(cycles, known);
  for (const cycle of added) console.error(describe(cycle, edges));
  for (const cycle of solved) console.error(`known cycle is gone or smaller: ${cycle.join(" ")}`);
  if (solved.length > 0) console.error("run `node scripts/check-cycles.mjs --shrink`");
  if (added.length + solved.length > 0) process.exit(1);
}
