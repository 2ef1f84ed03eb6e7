// The npm packages that ship: those in the console, those in the pages of the documentation, and Deno.
//
// They are read from the lock files. `npm sbom --omit dev` leaves out packages that development tools need, too, such as Svelte.
import { readFileSync } from "node:fs";

const MODULES = "node_modules/";
/** The documentation is built by development tools only. These packages are in its pages. */
const IN_THE_PAGES =
  /^(vue|vitepress|@vue\/(reactivity|runtime-\w+|shared)|@vueuse\/\w+|minisearch|mark\.js|focus-trap|tabbable)$/;

/** Each with `folder`, where its licence is, which does not appear in JSON. */
export function npmComponents() {
  const found = [
    ...locked("", ({ name }) => name === "deno"),
    ...locked("ui/", ({ entry }) => !entry.dev && !entry.devOptional),
    ...locked("docs/", ({ name }) => IN_THE_PAGES.test(name)),
  ];
  return [...new Map(found.map((it) => [it.purl, it])).values()];
}

function locked(project, ships) {
  const { packages } = JSON.parse(readFileSync(`${project}package-lock.json`, "utf8"));
  const entries = Object.entries(packages).filter(([path]) => path.includes(MODULES));
  return entries
    .map(([path, entry]) => ({ path, entry, name: path.slice(path.lastIndexOf(MODULES) + MODULES.length) }))
    .filter(ships)
    .map(({ path, entry, name }) => component(name, entry, project + path));
}

function component(name, { version, license, integrity }, folder) {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const [algorithm, hash] = integrity.split("-");
  const found = {
    type: name === "deno" ? "application" : "library",
    "bom-ref": purl,
    name,
    version,
    hashes: [{ alg: algorithm.replace("sha", "SHA-"), content: Buffer.from(hash, "base64").toString("hex") }],
    licenses: license ? [{ expression: license }] : undefined,
    purl,
  };
  Object.defineProperty(found, "folder", { value: folder, enumerable: false });
  return found;
}
