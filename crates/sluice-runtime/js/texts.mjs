// Texts that everybody who reads them later can take.

const encoder = new TextEncoder();

/** Half a surrogate pair is an escape that strict readers of JSON refuse, and with it all that it stands among. */
export function wellFormed(json) {
  if (!json.includes("\\ud")) return json;
  return json.replace(/\\(?:u(d[89a-f]..)|.)/g, (whole, lone) => (lone === undefined ? whole : "\\ufffd"));
}

/** What databases store: neither NUL nor half a surrogate pair. */
export function text(value) {
  return String(value).toWellFormed().replaceAll("\0", "");
}

/** Exact only where it decides: text has at most three bytes for each of its units. */
export function byteLength(string, limit) {
  if (string.length > limit || string.length * 3 <= limit) return string.length;
  return encoder.encode(string).length;
}
