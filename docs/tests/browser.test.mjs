// The built site in a browser, under the content security policy of the server.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import test, { after, before } from "node:test";
import { chromium } from "playwright-core";
import { serve } from "./harness/site.mjs";

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

async function violations(page) {
  // The debugger is not subject to the content security policy.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const results = await page.evaluate("axe.run({ resultTypes: ['violations'] })");
  return results.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.html}`));
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
  await page.close();
});
