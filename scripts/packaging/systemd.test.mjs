// The unit of the packages and the one in the documentation are the same.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");
const read = (file) => readFileSync(join(ROOT, file), "utf8");
/** Where the tarball is installed. */
const BIN = "/usr/local/bin";

/** The directives below their sections, in order, without comments. */
function directives(unit) {
  const lines = unit.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

test("the unit in the documentation has the directives of the packages", () => {
  const page = read("docs/operate/systemd.md");
  const [, unit] = /## `\/etc\/systemd\/system\/sluice\.service`\n\n```ini\n([\s\S]*?)```/.exec(page);
  const packaged = read("packaging/systemd/sluice.service").replaceAll("@BIN@", BIN);
  assert.deepEqual(directives(unit), directives(packaged));
});
