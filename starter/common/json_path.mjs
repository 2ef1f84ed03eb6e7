// Paths into JSON values, such as `data.items`, `$.items[0]` or `meta["next page"]`.

import { ConfigurationError } from "./errors.mjs";

const PART = /\.?(?:([^.[\]"']+)|\[(\d+)\]|\["([^"]*)"\]|\['([^']*)'\])/y;

/** The parts of a path. The empty path is the whole value. */
export function parsePath(text, label) {
  const path = String(text ?? "")
    .trim()
    .replace(/^\$(?=$|[.[])/, "");
  const parts = [];
  PART.lastIndex = 0;
  while (PART.lastIndex < path.length) {
    const match = PART.exec(path);
    if (match === null) {
      throw new ConfigurationError(`${label} must be a path such as data.items or items[0].id, not "${text}"`);
    }
    parts.push(match.slice(1).find((part) => part !== undefined));
  }
  return parts;
}

/** The value at a path; undefined if there is none. Inherited properties do not count. */
export function valueAt(value, parts) {
  let found = value;
  for (const part of parts) {
    if (found === null || typeof found !== "object" || !Object.hasOwn(found, part)) return undefined;
    found = found[part];
  }
  return found;
}
