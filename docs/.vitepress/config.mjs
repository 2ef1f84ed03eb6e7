// The documentation site: `make docs` builds it, and `npm run dev` shows it while pages are written. See pages.mjs for the sidebar and
// content-policy.mjs for the headers that the server sends. SLUICE_REPOSITORY is the address of the repository, for links that leave
// docs/; without it those are text.
import { fileURLToPath } from "node:url";
import { createCssVariablesTheme } from "shiki";
import { defineConfig } from "vitepress";
import { writeApiPages } from "./api.mjs";
import { compressFiles } from "./compress.mjs";
import { moveInlineScripts } from "./content-policy.mjs";
import { codeHostMarkdown, coloursAsClasses, slugify } from "./markdown.mjs";
import { checkPages, sidebar } from "./pages.mjs";

const BASE = "/docs/";
const folder = fileURLToPath(new URL("..", import.meta.url));
const repository = process.env.SLUICE_REPOSITORY || undefined;

const apiPages = writeApiPages(folder);
checkPages(folder, apiPages);

export default defineConfig({
  title: "Sluice",
  titleTemplate: ":title · Sluice",
  description: "Documentation of Sluice, a self-hosted server for event sources.",
  lang: "en",
  base: BASE,
  cleanUrls: true,
  metaChunk: true,
  // Switching off transitions while the colours change needs an inline style.
  appearance: { disableTransition: false },
  // Without it the theme sets a style inline; see theme/style.css.
  contentProps: {},
  rewrites: { "cli/README.md": "cli/index.md", "connect/README.md": "connect/index.md" },
  head: [
    ["link", { rel: "icon", href: `${BASE}icon.svg`, type: "image/svg+xml" }],
    ["meta", { name: "color-scheme", content: "light dark" }],
  ],
  markdown: {
    theme: createCssVariablesTheme({ name: "sluice", variablePrefix: "--shiki-" }),
    codeTransformers: [coloursAsClasses],
    languageAlias: { caddy: "nginx" },
    anchor: { slugify },
    config: (md) => codeHostMarkdown(md, { folder, repository }),
  },
  themeConfig: {
    logo: "/icon.svg",
    nav: [
      { text: "Guide", link: "/guide/first-source", activeMatch: "^/(guide|connect)/" },
      { text: "Operate", link: "/operate/production", activeMatch: "^/operate/" },
      { text: "Command line", link: "/cli/", activeMatch: "^/cli/" },
      { text: "API", link: "/api/", activeMatch: "^/api/" },
    ],
    sidebar: sidebar(folder, apiPages),
    outline: [2, 3],
    // The link is called by its text, without which its label would differ.
    notFound: { linkLabel: "Take me home", linkText: "Take me home" },
    search: { provider: "local" },
    ...(repository !== undefined && {
      editLink: { pattern: `${repository}/edit/main/docs/:path`, text: "Edit this page" },
    }),
  },
  buildEnd: ({ outDir }) => compressFiles(outDir),
  transformHtml: (html, _, { siteConfig }) => moveInlineScripts(html, { base: BASE, outDir: siteConfig.outDir }),
  vite: {
    publicDir: fileURLToPath(new URL("../../ui/public", import.meta.url)),
    // The server serves only names of letters, digits and `-_.`.
    build: { rollupOptions: { output: { sanitizeFileName: (name) => name.replaceAll(/[^\w.-]/g, "") } } },
  },
});
