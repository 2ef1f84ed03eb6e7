// The pages of the site in the order of the sidebar. `checkPages` compares this list with the folder.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const HOME = "index.md";
/** Pages that are generated before each build, except the introduction. */
const API = "api/";

/** A page is a file, or a file with the pages below it. */
const SECTIONS = [
  {
    text: "Start",
    pages: ["guide/installation.md", "guide/first-source.md", "console.md"],
  },
  {
    text: "Build",
    pages: [
      "components.md",
      "events.md",
      "guide/polling-state-dedupe.md",
      "guide/receiving-webhooks.md",
      "guide/sending-webhooks.md",
      "guide/streams.md",
      "guide/searching.md",
      "workflows.md",
      "guide/workflow-editor.md",
      "runs.md",
      "guide/traces.md",
      "sending.md",
      "guide/actions.md",
      "guide/mcp.md",
      "guide/npm-packages.md",
      "guide/typescript.md",
      {
        file: "connect/README.md",
        pages: [
          "connect/github.md",
          "connect/slack.md",
          "connect/google.md",
          "connect/stripe.md",
          "connect/notion.md",
          "connect/hubspot.md",
          "connect/airtable.md",
        ],
      },
      "guide/testing-components.md",
      "registry.md",
      "starter-components.md",
      "moving-from-pipedream.md",
      "account-in-a-folder.md",
    ],
  },
  {
    text: "Operate",
    pages: [
      "operate/production.md",
      "operate/at-run-time.md",
      "operate/users-and-keys.md",
      "operate/reverse-proxy.md",
      "operate/single-sign-on.md",
      "operate/audit-log.md",
      "operate/systemd.md",
      "operate/postgresql.md",
      "cluster.md",
      "security.md",
      "operate/backup-upgrade.md",
      "operate/monitoring.md",
      "operate/notifications.md",
      "operate/limits-and-settings.md",
      "operate/troubleshooting.md",
    ],
  },
  {
    text: "Reference",
    pages: [
      "guarantees.md",
      "performance.md",
      {
        file: "cli/README.md",
        pages: [
          "cli/init.md",
          "cli/dev.md",
          "cli/test.md",
          "cli/deploy.md",
          "cli/update.md",
          "cli/rollback.md",
          "cli/run.md",
          "cli/actions.md",
          "cli/publish.md",
          "cli/unpublish.md",
          "cli/list.md",
          "cli/describe.md",
          "cli/events.md",
          "cli/logs.md",
          "cli/versions.md",
          "cli/trace.md",
          "cli/whoami.md",
          "cli/delete.md",
          "cli/workflows.md",
          "cli/tools.md",
          "cli/mcp.md",
          "cli/accounts.md",
          "cli/apps.md",
          "cli/webhooks.md",
          "cli/notifications.md",
          "cli/subscribe.md",
          "cli/unsubscribe.md",
          "cli/export.md",
          "cli/apply.md",
          "cli/import.md",
          "cli/serve.md",
          "cli/backup.md",
          "cli/restore.md",
          "cli/migrate.md",
          "cli/doctor.md",
          "cli/login.md",
          "cli/logout.md",
          "cli/profile.md",
          "cli/rotate-key.md",
          "cli/signup.md",
          "cli/keys.md",
          "cli/sessions.md",
          "cli/users.md",
          "cli/audit.md",
          "cli/cluster.md",
          "cli/registry.md",
          "cli/completions.md",
        ],
      },
      { file: "api/index.md", pages: [] },
      "glossary.md",
    ],
  },
];

/** Shorter names than the headings of the pages. */
const NAMES = new Map([
  ["connect/README.md", "Accounts and OAuth"],
  ["cli/README.md", "Command line"],
  ["api/index.md", "API"],
]);

const fileOf = (page) => (typeof page === "string" ? page : page.file);
const below = (page) => (typeof page === "string" ? [] : page.pages);

/** The sections, with the generated pages of the API. */
function sections(apiPages) {
  const complete = (page) => (fileOf(page).startsWith(API) ? { ...page, pages: apiPages } : page);
  return SECTIONS.map(({ text, pages }) => ({ text, pages: pages.map(complete) }));
}

/** Throws if a page is missing in the list or in the folder. */
export function checkPages(folder, apiPages) {
  const listed = sections(apiPages)
    .flatMap(({ pages }) => pages.flatMap((page) => [fileOf(page), ...below(page)]))
    .concat(HOME);
  const present = pagesIn(folder);
  const errors = [
    ...present.filter((file) => !listed.includes(file)).map((file) => `${file} is not in the list of pages`),
    ...listed
      .filter((file) => !present.includes(file))
      .map((file) => `${file} is in the list of pages, but not in docs/`),
    ...listed.filter((file, at) => listed.indexOf(file) !== at).map((file) => `${file} is listed twice`),
  ];
  if (errors.length > 0) throw new Error(`docs/.vitepress/pages.mjs:\n${errors.join("\n")}`);
}

const pagesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith(".") && name !== "node_modules")
    .flatMap((entry) => {
      if (!entry.isDirectory()) return entry.name.endsWith(".md") ? [entry.name] : [];
      return pagesIn(join(folder, entry.name)).map((file) => `${entry.name}/${file}`);
    });

/** The sidebar. A folder with pages below one page lists those first. Elsewhere they are left out, so that the HTML stays small. */
export function sidebar(folder, apiPages) {
  const all = sections(apiPages);
  const common = all.map(({ text, pages }) => ({ text, items: pages.map((page) => item(folder, fileOf(page))) }));
  const parents = all.flatMap(({ pages }) => pages.filter((page) => below(page).length > 0));
  const own = parents.map((page) => [
    `/${fileOf(page).split("/")[0]}/`,
    [{ ...item(folder, fileOf(page)), items: below(page).map((file) => item(folder, file)) }, ...common],
  ]);
  return Object.fromEntries([...own, ["/", common]]);
}

const item = (folder, file) => ({ text: NAMES.get(file) ?? heading(folder, file), link: addressOf(file) });

/** The first heading, as plain text. */
function heading(folder, file) {
  const text = /^# (.+)$/m.exec(readFileSync(join(folder, file), "utf8"))?.[1];
  if (text === undefined) throw new Error(`${file} has no heading`);
  return text.replaceAll(/[`*]/g, "").trim();
}

/** The address of a page below the base path of the site. */
export const addressOf = (file) => `/${file.replace(/(^|\/)(README|index)\.md$/, "$1").replace(/\.md$/, "")}`;
