#!/usr/bin/env node
// Runs the receivers of webhooks in the documentation, each in its language, and sends them genuine and forged requests.
//
//   node scripts/docs-snippets/run.mjs                     all languages of this machine, except slow ones
//   node scripts/docs-snippets/run.mjs --only node,rust    some of them
//   node scripts/docs-snippets/run.mjs --all               the slow ones too: Rust takes a minute the first time
//   node scripts/docs-snippets/run.mjs --require node,rust these must be installed
//
// Other languages that are not installed are skipped. Libraries are fetched into temporary folders.

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { isInstalled, LANGUAGES } from "./languages.mjs";
import { freePort, start } from "./receiver.mjs";
import { newSecret, requestsFor } from "./requests.mjs";
import { snippetsOf } from "./snippets.mjs";

const PAGE = join(dirname(fileURLToPath(import.meta.url)), "../../docs/guide/sending-webhooks.md");

/** Returns the errors of one receiver. */
async function errorsOf(receiver, secret) {
  const errors = [];
  for (const { name, accepted, headers, body } of requestsFor(secret)) {
    const status = await statusOf(receiver.url, { headers, body });
    const isExpected = accepted ? status >= 200 && status < 300 : status === 401;
    if (!isExpected) errors.push(`${name}: the response is ${status}, not ${accepted ? "2xx" : 401}`);
  }
  return errors;
}

async function statusOf(url, { headers, body }) {
  try {
    const response = await fetch(url, { method: "POST", headers, body });
    return response.status;
  } catch {
    return "missing";
  }
}

async function check({ name, code }) {
  const language = LANGUAGES[name];
  if (language === undefined) return { errors: [`no language has the name ${name}`] };
  const missing = language.programs.filter((program) => !isInstalled(program));
  if (missing.length > 0) {
    const reason = `${missing.join(" and ")} not installed`;
    return required.includes(name) ? { errors: [reason] } : { skipped: reason };
  }
  const folder = await mkdtemp(join(tmpdir(), "sluice-snippets-"));
  try {
    const file = join(folder, language.file);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, code);
    const note = await language.prepare?.(folder);
    return { note, errors: await runIn(folder, language) };
  } catch (error) {
    return { errors: [String(error.stderr || error.message)] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runIn(folder, language) {
  const port = await freePort();
  const secret = newSecret();
  const [program, args] = language.command(folder, port);
  const environment = { ...language.environment?.(folder), WEBHOOK_SECRET: secret };
  const receiver = await start({ program, args, folder, port, environment });
  try {
    const errors = await errorsOf(receiver, secret);
    return errors.length === 0 ? [] : [...errors, receiver.output()];
  } finally {
    await receiver.stop();
  }
}

const { values } = parseArgs({
  options: { only: { type: "string" }, all: { type: "boolean" }, require: { type: "string", default: "" } },
});
const only = values.only?.split(",");
const required = values.require.split(",");
const found = snippetsOf(await readFile(PAGE, "utf8"));
const absent = Object.keys(LANGUAGES).filter((name) => !found.some((snippet) => snippet.name === name));
const unknown = [...(only ?? []), ...required].filter((name) => name !== "" && !(name in LANGUAGES));
for (const name of absent) console.error(`failed   ${name}: the page has no such snippet`);
for (const name of unknown) console.error(`failed   ${name}: unknown; known are ${Object.keys(LANGUAGES).join(", ")}`);
let failures = absent.length + unknown.length;
for (const snippet of found) {
  const { name } = snippet;
  if (only && !only.includes(name)) continue;
  const isLeftOut = LANGUAGES[name]?.slow && !only && !values.all;
  const { errors = [], skipped, note } = isLeftOut ? { skipped: "slow, run it with --all" } : await check(snippet);
  if (skipped) {
    console.log(`skipped  ${name}: ${skipped}`);
  } else if (errors.length > 0) {
    failures += 1;
    console.error(`failed   ${name}\n${errors.map((error) => `         ${error}`).join("\n")}`);
  } else {
    console.log(`passed   ${name}${note ? ` (${note})` : ""}`);
  }
}
process.exit(failures > 0 ? 1 : 0);
