// Icons of simple-icons and other sets, found by the slug of an app.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { normalise, withoutEndings } from "./names.mjs";
import { loadSets } from "./sets.mjs";

const require = createRequire(import.meta.url);

// The newest version first. The older one fills in brands that were removed later.
const PACKAGES = [
  { name: "simple-icons", data: "data/simple-icons.json" },
  { name: "simple-icons-11", data: "_data/simple-icons.json" },
];

function readData({ name, data }) {
  const folder = dirname(require.resolve(`${name}/icons/github.svg`));
  const content = JSON.parse(readFileSync(join(folder, "..", data), "utf8"));
  return content.icons ?? content;
}

function aliasesOf({ aliases = {} }) {
  const { aka = [], old = [], dup = [], loc = {} } = aliases;
  return [...aka, ...old, ...dup.map(({ title }) => title), ...Object.values(loc)];
}

// A few icons have a licence of their own, which the data names. The catalogue takes only those in the public domain.
function restrictedTitles(entries) {
  const restricted = entries.filter(({ license }) => license && license.type !== "CC0-1.0");
  return new Set(restricted.map(({ title }) => title));
}

function addOnce(index, key, value) {
  if (key && !index.has(key)) index.set(key, value);
}

// All icons by their own slug and by every name they are known under, and the titles of all brands by name.
// Titles take precedence over aliases.
export function loadIcons() {
  const [bySlug, byName, titles] = [new Map(), new Map(), new Map()];
  const data = PACKAGES.map(readData);
  const restricted = restrictedTitles(data.flat());
  for (const [index, entries] of data.entries()) {
    for (const { title } of entries) addOnce(titles, normalise(title), title);
    const aliases = new Map(entries.map((entry) => [entry.title, aliasesOf(entry)]));
    const icons = Object.values(require(PACKAGES[index].name)).filter(({ title }) => !restricted.has(title));
    for (const icon of icons) addOnce(bySlug, icon.slug, icon);
    for (const icon of icons) addOnce(byName, normalise(icon.title), icon);
    for (const icon of icons) {
      for (const alias of aliases.get(icon.title) ?? []) addOnce(byName, normalise(alias), icon);
    }
  }
  return { bySlug, byName, titles };
}

// Finds icons by exact names only. A wrong icon is worse than none, so vendors and exceptions are listed by hand.
export function createIconFinder({ bySlug, byName, titles }, { icons, sets, vendors, endings, notIcons }, used) {
  const excluded = new Set(notIcons);
  const iconOfSet = loadSets();

  function byOverride(slug) {
    used.add(`icons.${slug}`);
    if (icons[slug] === null) return undefined;
    const icon = bySlug.get(icons[slug]);
    if (!icon) throw new Error(`overrides.json: ${slug} names the unknown icon ${icons[slug]}`);
    return icon;
  }

  function bySet(slug) {
    used.add(`sets.${slug}`);
    const icon = iconOfSet(sets[slug]);
    if (!bySlug.has(icon.slug)) bySlug.set(icon.slug, icon);
    return bySlug.get(icon.slug);
  }

  function byVendor(slug) {
    const vendor = Object.keys(vendors).find((prefix) => slug.startsWith(prefix));
    if (!vendor) return undefined;
    used.add(`vendors.${vendor}`);
    return bySlug.get(vendors[vendor]);
  }

  function exact(slug) {
    if (!excluded.has(slug)) return byName.get(normalise(slug));
    used.add(`notIcons.${slug}`);
    return undefined;
  }

  const byEnding = (slug) => withoutEndings(slug, endings).slice(1).map(exact).find(Boolean);

  function iconOf(slug) {
    if (slug in icons) return byOverride(slug);
    if (slug in sets) return bySet(slug);
    return exact(slug) ?? byEnding(slug) ?? byVendor(slug);
  }

  return {
    iconOf,
    titleOf: (slug) => (slug in icons || excluded.has(slug) ? undefined : titles.get(normalise(slug))),
  };
}
