import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { moveInlineScripts } from "../.vitepress/content-policy.mjs";
import { addressOnSite, slugify } from "../.vitepress/markdown.mjs";
import { addressOf, checkPages } from "../.vitepress/pages.mjs";

const FOLDER = fileURLToPath(new URL("..", import.meta.url));
const PAGE = join(FOLDER, "connect/README.md");
const REPOSITORY = "https://code.example/sluice";

const address = (href, repository) => addressOnSite(href, PAGE, FOLDER, repository);

test("links within the folder stay", () => {
  assert.equal(address("github.md#errors"), "github.md#errors");
  assert.equal(address("../cli/README.md#exit-codes"), "../cli/index.md#exit-codes");
  assert.equal(address("https://example.com/README.md"), "https://example.com/README.md");
  assert.equal(address("../openapi.json"), "/openapi.json");
});

test("links out of the folder lead to the repository or are text", () => {
  assert.equal(address("../../README.md"), undefined);
  assert.equal(address("../../README.md#packages", REPOSITORY), `${REPOSITORY}/blob/main/README.md#packages`);
  assert.throws(() => address("../../no-such-file.md"), /connect\/README.md: .* does not exist/);
});

test("anchors are those of code hosts", () => {
  assert.equal(slugify("1. The public address"), "1-the-public-address");
  assert.equal(slugify("`$.send`: it's sent_once"), "send-its-sent_once");
});

test("addresses of pages have no suffix", () => {
  assert.deepEqual(["index.md", "cli/README.md", "cli/serve.md"].map(addressOf), ["/", "/cli/", "/cli/serve"]);
});

test("pages that are not listed, and listed ones that do not exist, are errors", () => {
  assert.throws(
    () => checkPages(join(FOLDER, "cli"), []),
    /whoami.md is not in the list[\s\S]*cli\/whoami.md is in the list/,
  );
});

test("inline styles are errors", () => {
  const site = { base: "/docs/", outDir: "" };
  assert.equal(moveInlineScripts('<p style="">text</p>', site), "<p>text</p>");
  for (const html of ['<p style="color: red">text</p>', "<style>p {}</style>", '<p onclick="f()">text</p>']) {
    assert.throws(() => moveInlineScripts(html, site), /the content security policy blocks/);
  }
});
