// Every link of the console to the documentation leads to a page and a heading of the built site.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "node-html-parser";
import { candidates, DIST } from "./harness/site.mjs";

const CONSOLE = fileURLToPath(new URL("../../ui/src", import.meta.url));
const TOPICS = /^ {2}'?([\w-]+)'?: '([^']*)',$/gm;
const source = readFileSync(join(CONSOLE, "parts/help.ts"), "utf8");
const [, list] = /export const HELP = \{\n([\s\S]*?)\n\} as const;/.exec(source);
const topics = [...`${list}\n`.matchAll(TOPICS)].map(([, topic, address]) => ({ topic, address }));

test("the list of topics can be read", () => {
  assert.equal(topics.length, list.trim().split("\n").length);
});

for (const { topic, address } of topics) {
  test(`${topic} leads to ${address}`, () => {
    const [path, anchor] = address.split("#");
    const file = candidates(path).find((name) => existsSync(join(DIST, name)) && name.endsWith(".html"));
    assert.ok(file, "the site has the page");
    if (anchor === undefined) return;
    const page = parse(readFileSync(join(DIST, file), "utf8"));
    assert.ok(page.getElementById(anchor), "the page has the heading");
  });
}

test("every topic is used", () => {
  const files = readdirSync(CONSOLE, { recursive: true }).filter((file) => /\.(svelte|ts)$/.test(file));
  const text = files.map((file) => readFileSync(join(CONSOLE, file), "utf8")).join("\n");
  const isUsed = ({ topic }) =>
    text.includes(`help="${topic}"`) ||
    text.includes(`topic="${topic}"`) ||
    source.includes(`, '${topic}']`) ||
    source.includes(`'${topic}',\n  ]`) ||
    text.includes(`?? '${topic}'`);
  assert.deepEqual(
    topics.filter((topic) => !isUsed(topic)).map(({ topic }) => topic),
    [],
  );
});
