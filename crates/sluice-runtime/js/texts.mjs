// Texts that all later readers accept.

const encoder = new TextEncoder();

/** Replaces lone surrogates, because strict JSON parsers reject the whole document for them. */
export function wellFormed(json) {
  if (!json.includes("\\ud")) return json;
  return json.replace(/\\(?:u(d[89a-f]..)|.)/g, (whole, lone) => (lone === undefined ? whole : "\\ufffd"));
}

/** Text for databases: without NUL and lone surrogates. */
export function text(value) {
  return String(value).toWellFormed().replaceAll("\0", "");
}

/** Exact only near the limit. A text has at most three bytes per UTF-16 unit. */
export function byteLength(string, limit) {
  if (string.length > limit || string.length * 3 <= limit) return string.length;
  return encoder.encode(string).length;
}
