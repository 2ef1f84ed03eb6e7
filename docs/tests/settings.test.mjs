// Flags on the pages exist, and every setting of the server is explained on a page of its section.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("..", import.meta.url));
const FENCE = /^ *```[\s\S]*?^ *```$/gm;
const FLAG = /(?<![\w-])--[a-z][a-z0-9-]*[a-z0-9]/g;
/** Flags of other programs in running text, and those that every command has. */
const OTHERS = [
  "--version",
  "--help",
  "--omit",
  "--global",
  "--save-dev",
  "--check",
  "--features",
  "--only",
  "--compare",
  "--database",
];
/** Beginnings of flags that stand for several, such as `--oidc-…`. */
const isBeginning = (text, at) => /^-?(…|\*)/.test(text.slice(at));

const pages = readdirSync(FOLDER, { recursive: true })
  .filter((file) => file.endsWith(".md") && !file.includes("node_modules") && !file.startsWith("."))
  .map((file) => ({ file, text: readFileSync(join(FOLDER, file), "utf8") }));
const isReference = ({ file }) => file.startsWith("cli/") || file.startsWith("api/");
const ofCommands = pages.filter(({ file }) => file.startsWith("cli/"));
const known = new Set([...OTHERS, ...ofCommands.flatMap(({ text }) => text.match(FLAG) ?? [])]);

test("flags on the pages are flags of a command", () => {
  const unknown = pages
    .filter((page) => !isReference(page))
    .flatMap(({ file, text }) => {
      const prose = text.replace(FENCE, "");
      const flags = [...prose.matchAll(FLAG)].filter((match) => !isBeginning(prose, match.index + match[0].length));
      return flags.filter(([flag]) => !known.has(flag)).map(([flag]) => `${file}: ${flag}`);
    });
  assert.deepEqual(unknown, []);
});

test("settings of the server are explained", () => {
  const explained = pages.filter((page) => !isReference(page)).map(({ text }) => text);
  const flags = [...readFileSync(join(FOLDER, "cli/serve.md"), "utf8").matchAll(/^- `(?:-\w, )?(--[a-z0-9-]+)/gm)];
  const missing = flags.filter(([, flag]) => !explained.some((text) => text.includes(flag))).map(([, flag]) => flag);
  assert.deepEqual(missing, []);
});
