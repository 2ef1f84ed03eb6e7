// Differences between Markdown on a code host and on the site: links, anchors and the colours of code.
import { existsSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";

/** The colour in a `style` attribute of Shiki, which the content security policy blocks. Plain text has none. */
const COLOUR = /--shiki-(token-[a-z-]+)/;
/** A file of this folder that the server has at its root, outside of the site. */
const SERVED = "openapi.json";
const HAS_PROTOCOL = /^[a-z][a-z0-9+.-]*:/i;

/** The anchor of a heading, as code hosts make it. */
export const slugify = (text) =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");

/** Shiki: `style` attributes become classes of theme/style.css. Tokens of one colour become one element, so that pages are small. */
export const coloursAsClasses = {
  name: "colours-as-classes",
  pre(node) {
    delete node.properties.style;
  },
  line(node) {
    node.children = node.children.reduce(addToken, []);
  },
};

function addToken(tokens, token) {
  const text = token.children[0];
  const colour = COLOUR.exec(token.properties.style)?.[1];
  const last = tokens.at(-1);
  if (last !== undefined && last.properties?.class === colour) textOf(last).value += text.value;
  else tokens.push(colour === undefined ? text : { ...token, properties: { class: colour } });
  return tokens;
}

const textOf = (node) => (node.type === "text" ? node : node.children[0]);

/**
 * markdown-it: links that leave the folder lead to the repository if its address is known, and are text otherwise. Braces are
 * no expressions of Vue. Columns are aligned by classes.
 */
export function codeHostMarkdown(md, { folder, repository }) {
  md.core.ruler.push("links-of-the-site", (state) => {
    for (const block of state.tokens) {
      if (block.type === "inline") rewriteLinks(block.children, state.env.path ?? "", folder, repository);
      alignByClass(block);
      if (block.type === "code_block") asFence(block);
    }
  });
  // VitePress puts the base path before other addresses.
  const { link_open: open, text, code_inline: code } = md.renderer.rules;
  md.renderer.rules.link_open = (tokens, at, options, env, self) =>
    tokens[at].attrGet("href") === `/${SERVED}`
      ? self.renderToken(tokens, at, options)
      : open(tokens, at, options, env, self);
  const withoutExpressions =
    (rule) =>
    (...all) =>
      rule(...all).replaceAll("{{", "&#123;&#123;");
  Object.assign(md.renderer.rules, { text: withoutExpressions(text), code_inline: withoutExpressions(code) });
}

function rewriteLinks(tokens, page, folder, repository) {
  const opened = [];
  for (const token of tokens) {
    if (token.type === "link_open") {
      opened.push(token);
      const href = addressOnSite(token.attrGet("href"), page, folder, repository);
      if (href === undefined) asText(token);
      else token.attrSet("href", href);
    } else if (token.type === "link_close" && opened.pop()?.hidden) asText(token);
  }
}

/** Its tag is not rendered. */
function asText(token) {
  Object.assign(token, { type: "text", tag: "", content: "", nesting: 0, hidden: true });
}

/** The link on the site, or undefined for a link that leads nowhere. */
export function addressOnSite(href, page, folder, repository) {
  if (HAS_PROTOCOL.test(href) || href.startsWith("#") || href.startsWith("/")) return href;
  const [path, anchor] = href.split("#");
  const file = relative(folder, join(dirname(page), decodeURI(path)));
  if (file === SERVED) return `/${SERVED}`;
  if (!file.startsWith("..")) return href.replace(/(^|\/)README\.md/, "$1index.md");
  if (!existsSync(join(folder, file))) throw new Error(`${relative(folder, page)}: ${href} does not exist`);
  if (repository === undefined) return undefined;
  const inRepository = posix.join("docs", file.replaceAll("\\", "/"));
  return `${repository}/blob/main/${inRepository}${anchor === undefined ? "" : `#${anchor}`}`;
}

/** Indented code looks like fenced code. */
function asFence(token) {
  Object.assign(token, { type: "fence", markup: "```", info: "" });
}

function alignByClass(token) {
  const align = /text-align:(\w+)/.exec(token.attrGet?.("style") ?? "")?.[1];
  if (align === undefined) return;
  token.attrs = token.attrs.filter(([name]) => name !== "style");
  token.attrJoin("class", `align-${align}`);
}
