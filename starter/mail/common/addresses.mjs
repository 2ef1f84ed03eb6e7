// Addresses of mails, such as `"Ada Lovelace" <ada@example.com>, charles@example.com`.

/** A list of `{name, address}`. */
export function parseAddresses(text) {
  return splitList(String(text ?? ""))
    .map(parseAddress)
    .filter(({ address }) => address !== "");
}

export function parseAddress(text) {
  const given = String(text ?? "").trim();
  const open = given.lastIndexOf("<");
  if (open < 0) return { name: "", address: given };
  const name = given
    .slice(0, open)
    .trim()
    .replace(/^"(.*)"$/s, "$1")
    .replaceAll('\\"', '"');
  return {
    name,
    address: given
      .slice(open + 1)
      .replace(/>.*$/s, "")
      .trim(),
  };
}

// Commas in quotes and in angle brackets do not separate.
function splitList(text) {
  const parts = [];
  let [start, quoted, bracketed] = [0, false, false];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === "\\" && quoted) at += 1;
    else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === "<" || char === ">")) bracketed = char === "<";
    else if (!quoted && !bracketed && char === ",") {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}
