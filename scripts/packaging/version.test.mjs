// Files that name packages have the version of the workspace.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");
const read = (file) => readFileSync(join(ROOT, file), "utf8");
const [, VERSION] = /\[workspace\.package\][^[]*?^version = "(.*)"$/m.exec(read("Cargo.toml"));
/** Names of packages: `sluice-0.1.0.tgz`, `sluice-0.1.0-linux-x64`, `sluice_0.1.0_amd64.deb`, `sluice-linux-x64-0.1.0.tgz`. */
const PACKAGE = /\bsluice(?:-linux-\w+)?[-_](\d+\.\d+\.\d+)/g;

test("the Dockerfile uses the tarball of this version by default", () => {
  assert.equal(/^ARG VERSION=(.*)$/m.exec(read("packaging/docker/Dockerfile"))[1], VERSION);
});

for (const page of ["README.md", "docs/guide/installation.md"]) {
  test(`${page} names packages of this version`, () => {
    const versions = [...read(page).matchAll(PACKAGE)].map(([, version]) => version);
    assert.ok(versions.length > 0);
    assert.deepEqual([...new Set(versions)], [VERSION]);
  });
}
