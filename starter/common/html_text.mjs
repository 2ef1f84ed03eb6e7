// Plain text of HTML, by linear scans.

const NAMED = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  copy: "©",
  reg: "®",
  trade: "™",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  laquo: "«",
  raquo: "»",
  bull: "•",
  middot: "·",
  euro: "€",
  pound: "£",
  yen: "¥",
  cent: "¢",
  deg: "°",
  times: "×",
  auml: "ä",
  ouml: "ö",
  uuml: "ü",
  Auml: "Ä",
  Ouml: "Ö",
  Uuml: "Ü",
  szlig: "ß",
  eacute: "é",
  egrave: "è",
  ecirc: "ê",
  agrave: "à",
  acirc: "â",
  ccedil: "ç",
  ntilde: "ñ",
  oacute: "ó",
  iacute: "í",
  aacute: "á",
  uacute: "ú",
};
const HIDDEN = ["script", "style", "noscript", "template", "svg", "head"];

/** Replaces character references. Unknown ones stay. */
export function decodeEntities(text) {
  return text.replace(/&(#\d{1,7}|#[xX][\da-fA-F]{1,6}|\w{2,32});/g, (whole, name) => {
    if (!name.startsWith("#")) return Object.hasOwn(NAMED, name) ? NAMED[name] : whole;
    const hexadecimal = name[1] === "x" || name[1] === "X";
    const code = Number.parseInt(name.slice(hexadecimal ? 2 : 1), hexadecimal ? 16 : 10);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** The visible text of a page or of a fragment, one line for each block. */
export function visibleText(html) {
  let visible = withoutBetween(html, "<!--", "-->");
  for (const name of HIDDEN) visible = withoutElement(visible, name);
  const text = visible
    .replace(
      /<(?:br|\/?(?:p|div|li|tr|h[1-6]|section|article|header|footer|ul|ol|table|blockquote|pre))\b[^<>]*>/gi,
      "\n",
    )
    .replace(/<[^<>]*>/g, "");
  return collapse(decodeEntities(text));
}

/** Text on one line: without tags, with decoded references. */
export function oneLine(html) {
  return visibleText(String(html ?? ""))
    .replace(/\s+/g, " ")
    .trim();
}

function collapse(text) {
  const lines = text.split("\n").map((line) => line.replace(/[\s\u00a0]+/g, " ").trim());
  return lines.filter((line) => line !== "").join("\n");
}

function withoutElement(text, name) {
  const lower = text.toLowerCase();
  const kept = [];
  let position = 0;
  for (;;) {
    const start = startOf(lower, name, position);
    if (start < 0) break;
    kept.push(text.slice(position, start));
    const end = lower.indexOf(`</${name}`, start);
    if (end < 0) return kept.join("");
    const close = lower.indexOf(">", end);
    position = close < 0 ? text.length : close + 1;
  }
  kept.push(text.slice(position));
  return kept.join("");
}

// `<head` is not `<header`.
function startOf(lower, name, from) {
  for (let at = lower.indexOf(`<${name}`, from); at >= 0; at = lower.indexOf(`<${name}`, at + 1)) {
    if (!/[\w-]/.test(lower.charAt(at + name.length + 1))) return at;
  }
  return -1;
}

function withoutBetween(text, open, close) {
  const kept = [];
  let position = 0;
  for (;;) {
    const start = text.indexOf(open, position);
    if (start < 0) break;
    kept.push(text.slice(position, start));
    const end = text.indexOf(close, start + open.length);
    if (end < 0) return kept.join("");
    position = end + close.length;
  }
  kept.push(text.slice(position));
  return kept.join("");
}
