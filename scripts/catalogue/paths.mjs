// Path data of SVG, written with fewer digits.

const ARGUMENTS = { m: 2, l: 2, h: 1, v: 1, c: 6, s: 4, q: 4, t: 2, a: 7, z: 0 };
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/i;

// The flags of an arc are single digits and need no separator.
function readArgument(text, isFlag) {
  const rest = text.replace(/^[\s,]+/, "");
  const [match] = isFlag ? [rest[0]] : (NUMBER.exec(rest) ?? []);
  if (match === undefined) throw new Error(`no number at ${rest.slice(0, 20)}`);
  return [Number(match), rest.slice(match.length)];
}

function parsePath(path) {
  const segments = [];
  for (const [, command, rest] of path.matchAll(/([a-z])([^a-df-z]*)/gi)) {
    const count = ARGUMENTS[command.toLowerCase()];
    let text = rest.trim();
    let current = command;
    do {
      const values = [];
      while (values.length < count) {
        const isFlag = count === 7 && (values.length === 3 || values.length === 4);
        const [value, remaining] = readArgument(text, isFlag);
        values.push(value);
        text = remaining.trim();
      }
      segments.push({ command: current, values });
      if (current === "m" || current === "M") current = current === "m" ? "l" : "L";
    } while (text);
  }
  return segments;
}

export function round(value, decimals) {
  const factor = 10 ** decimals;
  return Math.round(value * factor) / factor;
}

export function roundPath(path, decimals) {
  const segments = parsePath(path);
  return segments
    .map(({ command, values }) => command + values.map((value) => round(value, decimals)).join(" "))
    .join("");
}
