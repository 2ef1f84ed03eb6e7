// Prints the licences of everything that an SBOM lists, with the texts that the packages bring along. Equal texts appear once.
//
//   node scripts/dist/licences.mjs SBOM.json
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { npmComponents } from "./npm-components.mjs";

const LICENCE_FILE = /^(un)?licen[cs]e|^copying|^notice|^copyright/i;

const { components } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const folders = new Map([...crateFolders(), ...npmComponents().map((it) => [it.purl, it.folder])]);
/** Texts with the packages that they belong to. */
const texts = new Map();

for (const component of components) {
  for (const text of licenceTexts(folders.get(component.purl))) {
    texts.set(text, [...(texts.get(text) ?? []), title(component)]);
  }
}
console.log("Sluice contains the following third-party software.\n");
for (const component of components) console.log(`${title(component)}: ${expression(component)}`);
for (const [text, titles] of texts) console.log(`\n${"=".repeat(100)}\n${titles.join(", ")}\n\n${text}`);

function crateFolders() {
  const options = { encoding: "utf8", maxBuffer: 2 ** 30 };
  const metadata = JSON.parse(execFileSync("cargo", ["metadata", "--format-version", "1", "--locked"], options));
  return metadata.packages.map((it) => [`pkg:cargo/${it.name}@${it.version}`, dirname(it.manifest_path)]);
}

function licenceTexts(folder) {
  const files = readdirSync(folder).filter((name) => LICENCE_FILE.test(name));
  const paths = files.sort().map((name) => join(folder, name));
  return paths.filter((path) => statSync(path).isFile()).map((path) => readFileSync(path, "utf8").trim());
}

function title({ name, version }) {
  return `${name} ${version}`;
}

function expression({ licenses = [] }) {
  const names = licenses.map(({ expression, license }) => expression ?? license.id ?? license.name);
  return names.join(" AND ") || "see its text";
}
