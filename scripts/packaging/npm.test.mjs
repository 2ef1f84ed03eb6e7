// The npm launcher and its manifest, without a binary.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");
const HERE = `${process.platform}-${process.arch}`;

let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-npm-"));
});
after(() => rmSync(folder, { recursive: true }));

/** Writes the packages of a release with these processors. Returns the folder of the main package. */
function release(name, cpus) {
  const path = join(folder, name);
  for (const part of ["main", "platform", "types"]) mkdirSync(join(path, part), { recursive: true });
  const words = [path, "1.2.3", "2.9.6", "x64", "linux-x64-glibc", cpus];
  execFileSync(process.execPath, ["scripts/dist/npm-manifests.mjs", ...words], { cwd: ROOT });
  cpSync(join(ROOT, "packaging/npm/sluice.cjs"), join(path, "main/sluice.cjs"));
  return join(path, "main");
}

const manifest = (main) => JSON.parse(readFileSync(join(main, "package.json"), "utf8"));
const start = (main, ...words) =>
  spawnSync(process.execPath, [join(main, "sluice.cjs"), ...words], { encoding: "utf8" });

test("the main package depends on the packages of the release", () => {
  assert.deepEqual(manifest(release("one", "x64")).optionalDependencies, { "@sluice/linux-x64": "1.2.3" });
  const both = { "@sluice/linux-x64": "1.2.3", "@sluice/linux-arm64": "1.2.3" };
  assert.deepEqual(manifest(release("both", "x64 arm64")).optionalDependencies, both);
});

test("on a platform without a package the launcher says which ones there are", () => {
  const { status, stderr } = start(release("foreign", "other"));
  assert.equal(status, 1);
  const known = `version 1.2.3 has no package for ${HERE}, only @sluice/linux-other.`;
  assert.ok(stderr.startsWith(`sluice: ${known}`), stderr);
});

test("a package that is missing can be installed", () => {
  const { status, stderr } = start(release("missing", process.arch));
  assert.equal(status, 1);
  assert.match(stderr, new RegExp(`^sluice: the package @sluice/${HERE} is not installed\\. Install again`));
});

test("the launcher passes on words and the exit code", () => {
  const main = release("complete", process.arch);
  const platform = join(main, "node_modules/@sluice", HERE);
  mkdirSync(platform, { recursive: true });
  writeFileSync(join(platform, "sluice"), '#!/bin/sh\necho "$@"\nexit 7\n');
  chmodSync(join(platform, "sluice"), 0o755);
  const { status, stdout } = start(main, "serve", "--help");
  assert.deepEqual([status, stdout], [7, "serve --help\n"]);
});
