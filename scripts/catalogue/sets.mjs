// Icons in several colours, from sets of icons other than simple-icons.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { round, roundPath } from "./paths.mjs";

const require = createRequire(import.meta.url);

// Icons of thesvg have a licence each. The catalogue takes only permissive ones.
const PERMISSIVE = new Set(["CC0-1.0", "MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Unlicense"]);

const ELEMENTS = new Set(
  "circle clipPath defs ellipse g line linearGradient mask path polygon polyline radialGradient rect stop use".split(
    " ",
  ),
);
const DROPPED_ATTRIBUTES =
  /\s(?:class|xmlns(?::\w+)?|xml:space|role|aria-\w+|data-[\w-]+|version|enable-background)="[^"]*"/g;
const STYLES = /^(?:fill|stroke|stop|opacity|clip|mask|transform)/;
const HIGHEST_SIZE = 16_000;

// The sets, and the colour of their icons in one colour.
const SETS = {
  logos: { file: "@iconify-json/logos/icons.json" },
  cib: { file: "@iconify/json/json/cib.json" },
  fa7: { file: "@iconify/json/json/fa7-brands.json" },
  material: { file: "@iconify/json/json/material-icon-theme.json" },
  mdi: { file: "@iconify/json/json/mdi.json", colour: "#64748B" },
  selfhst: { file: "@iconify/json/json/selfhst.json" },
  token: { file: "@iconify/json/json/token-branded.json" },
  vscode: { file: "@iconify/json/json/vscode-icons.json" },
  lobe: { read: readLobe },
  thesvg: { read: readThesvg },
  dialtone: { read: readDialtone, colour: "#7C52FF" },
};

function readIconify({ file }) {
  const { icons, aliases = {}, width = 16, height = 16 } = require(file);
  return (name) => {
    const icon = icons[name] ?? icons[aliases[name]?.parent];
    if (!icon) return undefined;
    const box = [icon.left ?? 0, icon.top ?? 0, icon.width ?? width, icon.height ?? height];
    return { box, body: icon.body };
  };
}

// The view box and the content of an SVG document. The colours of the root element move to a group.
function readSvg(svg) {
  const [, root, content] = svg.match(/<svg\b([^>]*)>([\s\S]*)<\/svg>/);
  const attribute = (name) => root.match(new RegExp(`\\s${name}="([^"]+)"`))?.[1];
  const size = () => [0, 0, parseFloat(attribute("width")), parseFloat(attribute("height"))];
  const box =
    attribute("viewBox")
      ?.trim()
      .split(/[\s,]+/)
      .map(Number) ?? size();
  const inherited = ["fill", "fill-rule", "clip-rule", "stroke"].filter((name) => attribute(name));
  const group = inherited.map((name) => ` ${name}="${attribute(name)}"`).join("");
  return { box, body: group ? `<g${group}>${content}</g>` : content };
}

function readLobe() {
  const folder = dirname(require.resolve("@lobehub/icons-static-svg/package.json"));
  return (name) => readSvg(readFileSync(join(folder, "icons", `${name}.svg`), "utf8"));
}

function readDialtone() {
  const folder = fileURLToPath(new URL("node_modules/@dialpad/dialtone-icons/dist/svg/icons", import.meta.url));
  return (name) => readSvg(readFileSync(join(folder, `${name}.svg`), "utf8"));
}

// A variant follows after a dot, as in `sanity.light`.
function readThesvg() {
  return (reference) => {
    const [name, variant = "default"] = reference.split(".");
    const { variants, license, hex } = require(`@thesvg/icons/${name}`);
    if (!PERMISSIVE.has(license)) throw new Error(`overrides.json: the licence of thesvg:${name} is ${license}`);
    return { ...readSvg(variants[variant]), colour: `#${hex}` };
  };
}

// The server forbids style sheets in icons, so styles become attributes. A style wins over an attribute.
function styleToAttributes(element) {
  const style = element.match(/\sstyle="([^"]*)"/)?.[1];
  if (style === undefined) return element;
  let text = element.replace(/\sstyle="[^"]*"/, "");
  for (const rule of style.split(";")) {
    const [name, value] = rule.split(":").map((part) => part.trim());
    if (!STYLES.test(name) || !value || value.startsWith("color(")) continue;
    text = text.replace(new RegExp(`\\s${name}="[^"]*"`), "").replace(/^<[\w:]+/, `$& ${name}="${value}"`);
  }
  return text;
}

// Copies the rules of a style sheet to the elements with their classes.
function inlineStyleSheet(body) {
  const sheets = [...body.matchAll(/<style\b[^>]*>([\s\S]*?)<\/style>/g)].map(([, sheet]) => sheet).join("");
  const rules = [...sheets.matchAll(/([^{}]+)\{([^}]*)\}/g)];
  const styleOf = (name) => rules.filter(([, names]) => names.split(",").some((one) => one.trim() === `.${name}`));
  return body.replace(/<style\b[\s\S]*?<\/style>/g, "").replace(/\sclass="([^"]*)"/g, (_, classes) => {
    const styles = classes.split(/\s+/).flatMap(styleOf);
    return ` style="${styles.map(([, , style]) => style).join(";")}"`;
  });
}

// Shortens numbers to what is visible in an icon of 96 pixels.
function decimalsOf([, , width, height]) {
  return Math.max(0, 3 - Math.round(Math.log10(Math.max(width, height) / 24)));
}

function clean(body, box, colour) {
  const decimals = decimalsOf(box);
  return inlineStyleSheet(body)
    .replace(/<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!DOCTYPE[^>]*>/g, "")
    .replace(/<(title|desc|metadata)\b[\s\S]*?<\/\1>/g, "")
    .replace(/<\w[^>]*>/g, styleToAttributes)
    .replace(DROPPED_ATTRIBUTES, "")
    .replace(/\sd="([^"]+)"/g, (_, path) => ` d="${roundPath(path, decimals)}"`)
    .replace(
      /\s(c?[xyr]|r[xy]|[xy][12]|width|height)="(-?\d*\.\d+)"/g,
      (_, name, value) => ` ${name}="${round(Number(value), decimals)}"`,
    )
    .replaceAll("xlink:href", "href")
    .replaceAll("currentColor", colour)
    .replace(/\s+/g, " ")
    .replace(/> </g, "><")
    .replace(/<(defs|g)\s*\/>|<(defs|g)><\/\2>/g, "")
    .replace(/\s+(\/?>)/g, "$1")
    .trim();
}

function validate(name, body) {
  for (const [, element] of body.matchAll(/<([\w:-]+)/g)) {
    if (!ELEMENTS.has(element)) throw new Error(`overrides.json: ${name} contains the element ${element}`);
  }
  if (/\son\w+=|href="(?!#)|url\((?!#)|style=/.test(body)) throw new Error(`overrides.json: ${name} has references`);
  for (const [element] of body.matchAll(/<\w[^>]*>/g)) {
    const names = [...element.matchAll(/\s([\w:-]+)=/g)].map(([, attribute]) => attribute);
    if (new Set(names).size < names.length) throw new Error(`overrides.json: ${name} repeats an attribute`);
  }
  if (body.length > HIGHEST_SIZE) throw new Error(`overrides.json: ${name} is too large (${body.length})`);
}

function squareBox([left, top, width, height]) {
  const size = Math.max(width, height);
  const box = [left - (size - width) / 2, top - (size - height) / 2, size, size];
  return box.map((value) => round(value, 2)).join(" ");
}

// Creates a function that reads an icon by the name of its set and its own, as in `selfhst:docuseal`.
export function loadSets() {
  const readers = new Map();

  function readerOf(set) {
    if (!SETS[set]) throw new Error(`overrides.json names the unknown set ${set}`);
    if (!readers.has(set)) readers.set(set, SETS[set].read?.() ?? readIconify(SETS[set]));
    return readers.get(set);
  }

  return function iconOf(reference) {
    const [set, name] = reference.split(":");
    const icon = readerOf(set)(name);
    if (!icon) throw new Error(`overrides.json names the unknown icon ${reference}`);
    const body = clean(icon.body, icon.box, SETS[set].colour ?? icon.colour ?? "#000");
    validate(reference, body);
    return { slug: `${set}-${name.replaceAll(".", "-")}`, box: squareBox(icon.box), body };
  };
}
