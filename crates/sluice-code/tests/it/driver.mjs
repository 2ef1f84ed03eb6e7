// Loads the modules that are named, one after the other, and prints what each did as one line of JSON.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);
const print = console.log;

function describe(value) {
  if (value === undefined) {
    return "[undefined]";
  }
  if (typeof value === "function") {
    return `[function ${value.name}]`;
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map(describe);
  }
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, describe(value[key])]));
}

async function load(path) {
  const printed = [];
  console.log = (...values) => printed.push(values.map(describe));
  try {
    const exports = path.endsWith(".mjs") ? await import(pathToFileURL(path)) : require(path);
    // A module may have more to say in a moment.
    await exports.later?.();
    return { printed, exports: describe(exports), error: null };
  } catch (error) {
    return { printed, exports: null, error: String(error) };
  }
}

const results = [];
for (const path of process.argv.slice(2)) {
  results.push(await load(path));
}
print(JSON.stringify(results));
