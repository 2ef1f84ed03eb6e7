// The built site in a browser, under the content security policy of the server.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { chromium } from "playwright-core";
import { contentViolations } from "./harness/content-violations.mjs";
import { DIST, serve } from "./harness/site.mjs";

/** One page of each kind, which is opened with its frame: the bar, the menu and the outline. */
const PAGES = ["", "console", "workflows", "cli/deploy", "api", "api/sources"];
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PATIENCE_MS = 20_000;

let site;
let browser;

before(async () => {
  site = await serve();
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
});
after(async () => {
  await browser?.close();
  site?.close();
});

/** A window, with its errors: exceptions, violations of the policy, missing files and requests to other hosts. */
async function open(path, look = {}) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...look });
  page.setDefaultTimeout(PATIENCE_MS);
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(site.url) && !request.url().startsWith("data:")) errors.push(request.url());
  });
  await page.goto(`${site.url}${path}`, { waitUntil: "networkidle" });
  return { page, errors };
}

/** The violations that are serious or critical. */
function texts(violations) {
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.html}`));
}

async function violations(page) {
  // The debugger is not subject to the content security policy.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const results = await page.evaluate("axe.run({ resultTypes: ['violations'] })");
  return texts(results.violations);
}

for (const path of PAGES) {
  test(`/${path} is accessible and follows the policy, in light and dark colours`, async () => {
    const { page, errors } = await open(path);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await page.waitForFunction(
        (dark) => document.documentElement.classList.contains("dark") === dark,
        colorScheme === "dark",
      );
      await page.waitForFunction(() => document.getAnimations().length === 0);
      assert.deepEqual(await violations(page), [], colorScheme);
    }
    assert.deepEqual(errors, []);
    await page.close();
  });
}

// Opening a page takes longer than checking it. So one window shows the content of all, one after another, without their scripts.
test("the content of every page is accessible, in light and dark colours", async () => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, bypassCSP: true });
  const page = await context.newPage();
  await page.route("**/*.js", (route) => route.abort());
  await page.goto(`${site.url}console`);
  await page.evaluate(AXE);
  await page.addStyleTag({ content: "*, ::before, ::after { transition: none !important }" });
  // The page of unknown addresses is made by its script, and has a test of its own.
  const isPage = (file) => file.endsWith(".html") && file !== "404.html";
  const files = readdirSync(DIST, { recursive: true }).filter(isPage);
  assert.ok(files.length > 100, `${files.length} pages`);
  const problems = [];
  for (const file of files) {
    const html = readFileSync(join(DIST, file), "utf8");
    for (const [look, found] of Object.entries(await page.evaluate(contentViolations, html))) {
      problems.push(...texts(found).map((text) => `${file}: ${look}: ${text}`));
    }
  }
  assert.deepEqual(problems, []);
  await context.close();
});

test("the search finds a page and opens it", async () => {
  const { page, errors } = await open("");
  await page.keyboard.press("Control+k");
  await page.locator("#localsearch-input").fill("deploy a component as a new source");
  await page.locator(".VPLocalSearchBox .result").first().waitFor();
  await page.locator(".VPLocalSearchBox .result").filter({ hasText: "sluice deploy" }).first().click();
  await page.waitForURL(/\/docs\/cli\//);
  assert.deepEqual(errors, []);
  await page.close();
});

test("the search finds an operation of the API by its name", async () => {
  const { page, errors } = await open("");
  await page.keyboard.press("Control+k");
  await page.locator("#localsearch-input").fill("createWebhook");
  await page.locator(".VPLocalSearchBox .result").filter({ hasText: "Create a webhook" }).first().click();
  await page.waitForURL(/\/docs\/api\/webhooks#create-webhook$/);
  assert.deepEqual(errors, []);
  await page.close();
});

test("links open pages without a reload, and the colours can be switched", async () => {
  const { page, errors } = await open("workflows", { colorScheme: "light" });
  await page.evaluate("window.same = true");
  await page.locator(".VPSidebar").getByRole("link", { name: "Command line" }).click();
  await page.getByRole("heading", { level: 1, name: "The command line" }).waitFor();
  assert.equal(await page.evaluate("window.same"), true);
  await page.getByRole("switch").first().click();
  assert.equal(await page.evaluate("document.documentElement.classList.contains('dark')"), true);
  assert.deepEqual(errors, []);
  await page.close();
});

test("an unknown address has a page that says so", async () => {
  const { page } = await open("no-such-page");
  await page.getByText("PAGE NOT FOUND").waitFor();
  await page.waitForFunction(() => document.getAnimations().length === 0);
  assert.deepEqual(await violations(page), []);
  await page.close();
});
