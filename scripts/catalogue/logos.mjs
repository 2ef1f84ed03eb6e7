// Icons of the package @iconify-json/logos, for brands that simple-icons lacks.
// A logo is drawn as a single path in one colour in a box of 24 by 24, like the icons of simple-icons.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

const BOX = 24;
const DECIMALS = 1000;
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

const round = (value) => Math.round(value * DECIMALS) / DECIMALS;

function scaleSegment({ command, values }, { factor, left, top }) {
  const isAbsolute = command === command.toUpperCase();
  const moved = (value, offset) => round(value * factor + (isAbsolute ? offset : 0));
  switch (command.toLowerCase()) {
    case "h":
      return [moved(values[0], left)];
    case "v":
      return [moved(values[0], top)];
    case "a":
      return [
        ...values.slice(0, 2).map((radius) => round(radius * factor)),
        ...values.slice(2, 5),
        moved(values[5], left),
        moved(values[6], top),
      ];
    default:
      return values.map((value, index) => moved(value, index % 2 === 0 ? left : top));
  }
}

function scalePath(path, scale) {
  const segments = parsePath(path);
  // A path starts at an absolute position even if it is written as a relative one.
  if (segments[0].command === "m") segments[0].command = "M";
  return segments.map((segment) => segment.command + scaleSegment(segment, scale).join(" ")).join("");
}

function ellipsePath(attributes) {
  const number = (name) => Number(attributes.match(new RegExp(`\\b${name}="([^"]+)"`))?.[1]);
  const [x, y] = [number("cx"), number("cy")];
  const [rx, ry] = [number("rx") || number("r"), number("ry") || number("r")];
  return `M${x - rx} ${y}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0z`;
}

function pathsOf(body) {
  const shapes = [...body.matchAll(/<(path|circle|ellipse)\b([^>]*)>/g)];
  return shapes.map(([, tag, attributes]) =>
    tag === "path" ? attributes.match(/\bd="([^"]+)"/)[1] : ellipsePath(attributes),
  );
}

function longHex(fill = "#000") {
  const hex = fill.slice(1).toUpperCase();
  return hex.length === 3 ? [...hex].map((digit) => digit + digit).join("") : hex;
}

// Creates a function that draws a logo by its name.
export function loadLogos() {
  const { icons, width, height } = require("@iconify-json/logos/icons.json");
  return function logoOf(name) {
    const logo = icons[name];
    if (!logo) throw new Error(`overrides.json names the unknown logo ${name}`);
    const size = { width: logo.width ?? width, height: logo.height ?? height };
    const factor = BOX / Math.max(size.width, size.height);
    const left = (BOX - size.width * factor) / 2;
    const top = (BOX - size.height * factor) / 2;
    const path = pathsOf(logo.body).map((d) => scalePath(d, { factor, left, top }));
    const hex = longHex(logo.body.match(/fill="(#[0-9a-f]{3,6})"/i)?.[1]);
    const slug = name.replace(/-icon$/, "").replaceAll("-", "");
    return { slug, hex, path: path.join("") };
  };
}
