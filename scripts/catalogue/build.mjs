#!/usr/bin/env node
// Builds the catalogue of apps that ships in the binary.
//
//   node scripts/catalogue/build.mjs           writes the data files
//   node scripts/catalogue/build.mjs --check   exits with 1 if the files on disk differ
//
// Install the data packages first: npm ci --prefix scripts/catalogue
//
// The catalogue joins these sources:
//
//   slugs.txt        apps of the public component registry
//   grant            OAuth 2 endpoints of providers
//   simple-icons     icons and titles of brands
//   sets of icons    icons of further brands, listed in sets.mjs
//   overrides.json   corrections and additions:
//     providers      OAuth settings by the name of the provider in grant, or of a new provider
//     apps           by slug: `provider` with changes to it (null: no OAuth), `oauth` for settings of its own,
//                    `keys` with the fields that components read as `this.$auth.<name>`, `none`, `name`, `description`
//     popular        slugs in order of popularity; sets the weight
//     icons          icon of simple-icons by slug, where the names differ (null: none)
//     sets           icon of another set by slug, as `set:name`, where simple-icons has none
//     notIcons       slugs that share their name with an icon of another brand
//     vendors        icon by the first letters of the slug, where the product has no icon of its own
//     endings        endings of slugs that are dropped in the search for an icon
//     variants       endings of slugs that titles give in parentheses
//     titles, words  titles and words that differ from the slug in upper and lower case
//     withoutComponents   apps that the registry lacks, in groups that share their fields
//     skippedProviders    providers of grant that are left out, for example because the service closed its API
//
// The report on standard output names providers, slugs and overrides that did not match.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createIconFinder, loadIcons } from "./icons.mjs";
import { createTitles, normalise } from "./names.mjs";
import { definitionOf, fieldsOf, indexProviders, loadProviders } from "./oauth.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const DATA = join(HERE, "..", "..", "crates", "sluice-catalogue", "data");
const SLUG = /^[a-z0-9_-]+$/;
const HIGHEST_WEIGHT = 1000;
const WEIGHT_STEP = 5;
const LOOKS_LIKE_OAUTH = /oauth|_developer_app$|_custom_app$|^(google|microsoft|zoho|facebook)_/;

// Overrides that took effect. The report names the others.
const used = new Set();

function readSlugs() {
  const lines = readFileSync(join(HERE, "slugs.txt"), "utf8").split("\n");
  return lines.filter((line) => line && !line.startsWith("#"));
}

function weightOf(slug, popular) {
  const rank = popular.indexOf(slug);
  if (rank < 0) return undefined;
  used.add(`popular.${slug}`);
  return HIGHEST_WEIGHT - rank * WEIGHT_STEP;
}

function createAuth(overrides, providers) {
  const byName = indexProviders(providers);

  function providerOf(slug, app) {
    const provider = app.provider ? providers.get(app.provider) : byName.get(normalise(slug));
    if (app.provider && !provider)
      throw new Error(`overrides.json: ${slug} names the unknown provider ${app.provider}`);
    return provider;
  }

  function groupAuthOf(slug) {
    const group = Object.values(overrides.withoutComponents).find(({ apps }) => apps.includes(slug));
    return group && { type: "keys", fields: fieldsOf(group.fields, overrides.words) };
  }

  return function authOf(slug, matched) {
    const app = overrides.apps[slug] ?? {};
    if (app.none) return { type: "none" };
    if (app.keys) return { type: "keys", fields: fieldsOf(app.keys, overrides.words) };
    if (app.oauth) return definitionOf({}, app.oauth, overrides.words);
    const provider = app.provider === null ? undefined : providerOf(slug, app);
    if (!provider) return groupAuthOf(slug);
    matched.add(provider.name);
    const { name, description, provider: _, ...changes } = app;
    return definitionOf(provider, changes, overrides.words);
  };
}

// Providers that no slug uses and that no slug is named after.
function unmatchedProviders(providers, matched, slugs) {
  const names = new Set(slugs.map(normalise));
  const others = [...providers.values()].filter(({ name }) => !matched.has(name) && !names.has(normalise(name)));
  return others.map(({ name }) => name);
}

function createAppBuilder(overrides, finder, titleOf, authOf) {
  return function appOf(slug, matched) {
    const own = overrides.apps[slug];
    if (own) used.add(`apps.${slug}`);
    const app = { slug, name: own?.name ?? titleOf(slug) };
    const icon = finder.iconOf(slug);
    if (icon) app.icon = icon.slug;
    const weight = weightOf(slug, overrides.popular);
    if (weight) app.weight = weight;
    if (own?.description) app.description = own.description;
    const auth = authOf(slug, matched);
    if (auth) app.auth = auth;
    return app;
  };
}

function bySlug(a, b) {
  return a.slug < b.slug ? -1 : 1;
}

function iconsOf(apps, icons) {
  const slugs = [...new Set(apps.map(({ icon }) => icon).filter(Boolean))].sort();
  return slugs.map((slug) => {
    const { title = apps.find(({ icon }) => icon === slug).name, hex, path, box, body } = icons.bySlug.get(slug);
    return [slug, body ? { title, box, body } : { title, hex, path }];
  });
}

// Throws on mistakes in overrides.json that would reach the server.
function validate(apps) {
  const seen = new Set();
  for (const { slug, auth } of apps) {
    if (!SLUG.test(slug) || seen.has(slug)) throw new Error(`${slug} is invalid or occurs twice`);
    seen.add(slug);
    if (auth?.type !== "oauth") continue;
    for (const member of ["authorization_url", "token_url"]) {
      if (!auth[member]?.startsWith("https://")) throw new Error(`${slug}: ${member} is no https address`);
    }
  }
}

function build() {
  const overrides = JSON.parse(readFileSync(join(HERE, "overrides.json"), "utf8"));
  const slugs = readSlugs();
  const icons = loadIcons();
  const providers = loadProviders(overrides.providers, used);
  const finder = createIconFinder(icons, overrides, used);
  const titleOf = createTitles(overrides, finder.titleOf);
  const appOf = createAppBuilder(overrides, finder, titleOf, createAuth(overrides, providers));
  const matched = new Set();
  const registered = slugs.map((slug) => appOf(slug, matched));
  const unmatched = unmatchedProviders(providers, matched, slugs).filter(
    (name) => !overrides.skippedProviders.includes(name),
  );
  const ofProviders = unmatched.map((name) => providers.get(name).slug ?? name).filter((slug) => SLUG.test(slug));
  const ofGroups = Object.values(overrides.withoutComponents).flatMap((group) => group.apps);
  const others = new Set([...ofProviders, ...ofGroups]);
  const apps = [...registered, ...[...others].map((slug) => appOf(slug, new Set()))].sort(bySlug);
  validate(apps);
  return { apps, icons: iconsOf(apps, icons), registered, unmatched, overrides };
}

function formatApps(apps) {
  return `[\n${apps.map((app) => JSON.stringify(app)).join(",\n")}\n]\n`;
}

function formatIcons(icons) {
  const lines = icons.map(([slug, icon]) => `${JSON.stringify(slug)}:${JSON.stringify(icon)}`);
  return `{\n${lines.join(",\n")}\n}\n`;
}

function countsOf(apps) {
  const count = (test) => apps.filter(test).length;
  return [
    `${apps.length} apps`,
    `${count(({ auth }) => auth?.type === "oauth")} with OAuth`,
    `${count(({ auth }) => auth?.type === "keys")} with keys`,
    `${count(({ auth }) => auth?.type === "none")} without authentication`,
    `${count(({ icon }) => icon)} with icons`,
    `${count(({ weight }) => weight)} with weights`,
  ].join(", ");
}

function unusedOverrides(overrides) {
  const sections = ["apps", "icons", "sets", "notIcons", "vendors", "popular"];
  const keysOf = (section) => (Array.isArray(section) ? section : Object.keys(section));
  const names = sections.flatMap((section) => keysOf(overrides[section]).map((key) => `${section}.${key}`));
  return names.filter((name) => !used.has(name));
}

function report({ apps, icons, registered, unmatched, overrides }) {
  const withoutOauth = registered.filter(({ slug, auth }) => !auth && LOOKS_LIKE_OAUTH.test(slug));
  console.log(`Registry:  ${countsOf(registered)}`);
  console.log(`Catalogue: ${countsOf(apps)}, ${icons.length} different icons`);
  console.log(`Providers of grant without a slug: ${unmatched.join(" ") || "none"}`);
  console.log(
    `Slugs that look like OAuth without a definition: ${withoutOauth.map(({ slug }) => slug).join(" ") || "none"}`,
  );
  console.log(`Overrides without effect: ${unusedOverrides(overrides).join(" ") || "none"}`);
}

function isCurrent(path, content) {
  try {
    return readFileSync(path, "utf8") === content;
  } catch {
    return false;
  }
}

function main() {
  const catalogue = build();
  const files = { "apps.json": formatApps(catalogue.apps), "icons.json": formatIcons(catalogue.icons) };
  report(catalogue);
  if (process.argv.includes("--check")) {
    const stale = Object.keys(files).filter((name) => !isCurrent(join(DATA, name), files[name]));
    for (const name of stale) console.error(`${name} differs. Run node scripts/catalogue/build.mjs.`);
    process.exit(stale.length > 0 ? 1 : 0);
  }
  mkdirSync(DATA, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(DATA, name), content);
}

main();
