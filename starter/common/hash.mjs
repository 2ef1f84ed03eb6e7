import { createHash } from "node:crypto";

/** A short hash. Two different texts have the same one with a chance of about 1 in 2^96. */
export function shortHash(text) {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}

/** JSON with sorted keys, so that equal values have equal texts. */
export function canonical(value) {
  return JSON.stringify(value, (_, inner) => {
    if (inner === null || typeof inner !== "object" || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
