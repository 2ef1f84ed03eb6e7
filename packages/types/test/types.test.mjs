// Checks the types with the TypeScript compiler of the console: lines that are right, and lines that have to be errors.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import test from "node:test";

const here = import.meta.dirname;
const compiler = join(here, "../../../ui/node_modules/typescript/bin/tsc");

test("components have types, and mistakes are errors", () => {
  const { status, stdout } = spawnSync("node", [compiler, "--project", here], { encoding: "utf8" });
  assert.equal(stdout, "");
  assert.equal(status, 0);
});

test("at run time the functions return the component", async () => {
  const { defineAction, defineApp, defineComponent, defineSource } = await import("../index.mjs");
  const component = { name: "A" };
  for (const define of [defineAction, defineApp, defineComponent, defineSource]) {
    assert.equal(define(component), component);
  }
});

test("the package has the declarations and the functions", () => {
  const packed = execFileSync("npm", ["pack", "--dry-run", "--json", join(here, "..")], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [{ name, files }] = JSON.parse(packed);
  assert.equal(name, "@sluice/types");
  assert.deepEqual(files.map(({ path }) => path).sort(), [
    "README.md",
    "globals.d.ts",
    "index.d.ts",
    "index.mjs",
    "package.json",
    "testing.d.ts",
    "types.d.ts",
  ]);
});
