// Reads the content of an unpacked tarball.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const SYMBOLS = /\bGLIBC_(\d+(?:\.\d+)+)/g;

const output = (command, ...words) => execFileSync(command, words, { encoding: "utf8", maxBuffer: 2 ** 28 });

/** The files below a folder, by their paths in it, in order. */
export function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true });
  return entries.filter((it) => statSync(join(folder, it)).isFile()).sort();
}

/** Names of the sections of a binary. */
export function sections(binary) {
  return [...output("readelf", "--section-headers", "--wide", binary).matchAll(/\] (\.\S+)/g)].map(([, name]) => name);
}

/** The newest version of glibc whose symbols one of the binaries uses. */
export function newestGlibc(...binaries) {
  const versions = binaries.flatMap((it) => [...output("readelf", "--version-info", "--wide", it).matchAll(SYMBOLS)]);
  return versions.map(([, version]) => version).reduce((one, other) => (isNewer(one, other) ? one : other));
}

export function isNewer(one, other) {
  const [left, right] = [one, other].map((it) => it.split(".").map(Number));
  const at = left.findIndex((number, index) => number !== (right[index] ?? 0));
  return at >= 0 && left[at] > (right[at] ?? 0);
}

export const read = (...path) => readFileSync(join(...path), "utf8");
