// The commit in `sluice --version`.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const SCRIPTS = join(import.meta.dirname, "../dist");

test("changes that are not committed mark the commit, other files do not", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-commit-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const { SLUICE_COMMIT, SOURCE_DATE_EPOCH, ...env } = process.env;
  const run = (command, ...words) => execFileSync(command, words, { cwd: folder, env, encoding: "utf8" });
  const git = (...words) => run("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...words);
  mkdirSync(join(folder, "scripts/dist"), { recursive: true });
  for (const name of ["commit", "build-name"]) cpSync(join(SCRIPTS, name), join(folder, "scripts/dist", name));
  const name = () => run("scripts/dist/build-name").trim();

  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--no-gpg-sign", "--message", "Add the scripts");
  writeFileSync(join(folder, "notes"), "not part of the commit");
  assert.match(name(), /^[0-9a-f]{8}, \d{4}-\d\d-\d\d$/);
  writeFileSync(join(folder, "scripts/dist/commit"), "\n# a change\n", { flag: "a" });
  assert.match(name(), /^[0-9a-f]{8}-dirty, \d{4}-\d\d-\d\d$/);
});
