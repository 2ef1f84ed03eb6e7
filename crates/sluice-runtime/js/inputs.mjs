// The inputs of a step as its run records them: the values of its props, without secrets and of limited size.

import { isObject } from "./shape.mjs";
import { wellFormed } from "./texts.mjs";
import { stringify } from "./wire.mjs";

const MASK = "********";
/** In UTF-16 units, for all props of a step. */
const LIMIT = 64 * 1024;
const PREVIEW = 1000;
/** Shorter secrets are masked only as a whole, because they are parts of many texts. */
const SHORTEST_PART = 4;
const WITHOUT_INPUT = new Set(["db", "dir", "http"]);

/** The texts that `masked` replaces: the values of secret environment variables. The longest come first. */
export function secretTexts(names, env) {
  const texts = new Set(names.map((name) => env[name]).filter((text) => text !== undefined && text !== ""));
  return [...texts].sort((a, b) => b.length - a.length);
}

/** The JSON of `[{name, kind, secret, value}]`, as an object. */
export function inputsJson(given, secrets) {
  const fields = [];
  let left = LIMIT;
  for (const { name, ...input } of given) {
    const json = inputJson(input, secrets);
    if (json === undefined) continue;
    const shown = json.length <= left ? json : truncated(json);
    left = Math.max(0, left - shown.length);
    fields.push(`${stringify(name)}:${shown}`);
  }
  return wellFormed(`{${fields.join(",")}}`);
}

function inputJson({ kind, secret, value }, secrets) {
  if (WITHOUT_INPUT.has(kind)) return undefined;
  if (secret) return stringify(MASK);
  const shown = kind === "app" ? withoutCredentials(value) : value;
  try {
    return secrets.length === 0 ? stringify(shown) : stringify(shown, (_, part) => masked(part, secrets));
  } catch (error) {
    return stringify(`[not JSON: ${error?.message}]`);
  }
}

function withoutCredentials(value) {
  const { $auth, ...rest } = isObject(value) ? value : {};
  return rest;
}

function masked(part, secrets) {
  if (typeof part === "string") return maskedText(part, secrets);
  if (typeof part === "number" && secrets.includes(String(part))) return MASK;
  if (isObject(part) && !Array.isArray(part)) return withMaskedKeys(part, secrets);
  return part;
}

function maskedText(text, secrets) {
  let shown = text;
  for (const secret of secrets) {
    if (shown === secret) return MASK;
    if (secret.length >= SHORTEST_PART) shown = shown.replaceAll(secret, MASK);
  }
  return shown;
}

function withMaskedKeys(object, secrets) {
  const keys = Object.keys(object);
  if (keys.every((key) => maskedText(key, secrets) === key)) return object;
  return Object.fromEntries(keys.map((key) => [maskedText(key, secrets), object[key]]));
}

function truncated(json) {
  return stringify({ $truncated: true, size: json.length, preview: json.slice(0, PREVIEW).toWellFormed() });
}
