// Packages of several machines in one folder.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

const MERGE = join(import.meta.dirname, "../dist/merge");

let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-merge-"));
});
after(() => rmSync(folder, { recursive: true }));

/** Packages with their checksums, as a machine builds them. */
function built(machine, files) {
  const path = join(folder, machine);
  mkdirSync(path);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  const sums = execFileSync("sha256sum", Object.keys(files), { cwd: path });
  writeFileSync(join(path, "SHA256SUMS"), sums);
  return path;
}

test("a package without a platform is that of the first machine, and all have checksums", () => {
  const x64 = built("x64", { "sluice-1.tgz": "from x64", "sluice-linux-x64-1.tgz": "x64" });
  const arm64 = built("arm64", { "sluice-1.tgz": "from arm64", "sluice-linux-arm64-1.tgz": "arm64" });
  const into = join(folder, "merged");
  execFileSync(MERGE, [into, x64, arm64]);
  const names = ["sluice-1.tgz", "sluice-linux-arm64-1.tgz", "sluice-linux-x64-1.tgz"];
  assert.deepEqual(readdirSync(into).sort(), ["SHA256SUMS", ...names]);
  assert.equal(readFileSync(join(into, "sluice-1.tgz"), "utf8"), "from x64");
  execFileSync("sha256sum", ["--check", "--strict", "--quiet", "SHA256SUMS"], { cwd: into });
  const listed = readFileSync(join(into, "SHA256SUMS"), "utf8").trim().split("\n");
  assert.deepEqual(
    listed.map((line) => line.split("  ")[1]),
    names,
  );
});

test("a package that was damaged on the way is an error", () => {
  const path = built("damaged", { "sluice-1.tgz": "whole" });
  writeFileSync(join(path, "sluice-1.tgz"), "half");
  assert.notEqual(spawnSync(MERGE, [join(folder, "none"), path]).status, 0);
});
