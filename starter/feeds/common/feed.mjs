// Reads RSS 2.0, RSS 1.0 and Atom into entries of one form.

import { shortHash } from "../../common/hash.mjs";
import { oneLine } from "../../common/html_text.mjs";
import { timestamp } from "../../common/times.mjs";
import { absoluteLink } from "../../common/urls.mjs";
import { childOf, childrenOf, childText, markupIn, parseXml, textIn } from "../../common/xml.mjs";

const FORMATS = { rss: readRss, RDF: readRdf, feed: readAtom };

/** `{feed, entries}` of a document that was loaded from `url`. */
export function readFeed(text, url) {
  const root = withoutPrefix(parseXml(text));
  const read = FORMATS[root?.name];
  if (read === undefined) {
    const found = root === undefined ? "no XML" : `the element <${root.name}>`;
    throw new Error(`${url} is not a feed: expected RSS or Atom, found ${found}`);
  }
  const base = URL.parse(root.attributes["xml:base"] ?? "", url)?.href ?? url;
  return read(root, base);
}

function readRss(root, base) {
  const channel = childOf(root, "channel") ?? root;
  return { feed: rssFeed(channel, base), entries: childrenOf(channel, "item").map((item) => rssEntry(item, base)) };
}

// In RSS 1.0 the items are beside the channel.
function readRdf(root, base) {
  const feed = rssFeed(childOf(root, "channel"), base);
  return { feed, entries: childrenOf(root, "item").map((item) => rssEntry(item, base)) };
}

function rssFeed(channel, base) {
  return described({
    title: plain(childText(channel, "title")),
    link: absoluteLink(childText(channel, "link"), base),
    description: plain(childText(channel, "description")),
  });
}

function rssEntry(item, base) {
  const guid = childOf(item, "guid");
  const guidText = textIn(guid) ?? item.attributes["rdf:about"];
  const isLink = guid !== undefined && guid.attributes.isPermaLink !== "false" && /^https?:/.test(guidText ?? "");
  const content = childText(item, "content:encoded", "description");
  return entry({
    id: guidText,
    title: plain(childText(item, "title")),
    link: absoluteLink(childText(item, "link") ?? (isLink ? guidText : undefined), base),
    published: childText(item, "pubDate", "dc:date", "published"),
    updated: childText(item, "dcterms:modified", "atom:updated"),
    author: plain(childText(item, "dc:creator", "author", "itunes:author")),
    summary: childText(item, "description", "itunes:summary"),
    content,
    categories: childrenOf(item, "category").map(textIn),
    enclosures: childrenOf(item, "enclosure").map(({ attributes }) => enclosure(attributes, attributes.url, base)),
    comments: absoluteLink(childText(item, "comments"), base),
  });
}

function readAtom(root, base) {
  const feed = described({
    title: plain(atomText(childOf(root, "title"))),
    link: absoluteLink(linkOf(root, "alternate"), base),
    description: plain(atomText(childOf(root, "subtitle"))),
  });
  const author = childText(childOf(root, "author"), "name");
  const entries = childrenOf(root, "entry").map((item) => atomEntry(item, base, author));
  return { feed, entries };
}

function atomEntry(item, feedBase, feedAuthor) {
  const base = URL.parse(item.attributes["xml:base"] ?? "", feedBase)?.href ?? feedBase;
  const summary = atomText(childOf(item, "summary"));
  const enclosures = childrenOf(item, "link").filter(({ attributes }) => attributes.rel === "enclosure");
  return entry({
    id: childText(item, "id"),
    title: plain(atomText(childOf(item, "title"))),
    link: absoluteLink(linkOf(item, "alternate"), base),
    published: childText(item, "published", "issued", "updated"),
    updated: childText(item, "updated", "modified"),
    author: plain(childText(childOf(item, "author"), "name") ?? feedAuthor),
    summary: summary ?? atomText(childOf(item, "content")),
    content: atomText(childOf(item, "content")) ?? summary,
    categories: childrenOf(item, "category").map(({ attributes }) => attributes.label ?? attributes.term),
    enclosures: enclosures.map(({ attributes }) => enclosure(attributes, attributes.href, base)),
    comments: absoluteLink(linkOf(item, "replies"), base),
  });
}

function entry({ id, published, updated, categories, enclosures, ...fields }) {
  const [publishedAt, updatedAt] = [timestamp(published), timestamp(updated)];
  const made = described({
    id: id ?? fields.link ?? shortHash(JSON.stringify([fields.title, published, fields.summary])),
    ...fields,
    published: isoTime(publishedAt),
    updated: isoTime(updatedAt),
    categories: categories.filter(Boolean),
    enclosures: enclosures.filter(({ url }) => url !== undefined),
  });
  return { ...made, ts: publishedAt ?? updatedAt };
}

function enclosure({ type, length }, url, base) {
  const size = Number(length);
  return described({ url: absoluteLink(url, base), type, length: size > 0 ? size : undefined });
}

// The content of XHTML is markup, that of other types is text.
function atomText(node) {
  if (node === undefined) return undefined;
  return node.attributes.type === "xhtml" ? markupIn(childOf(node, "div", "xhtml:div") ?? node) : textIn(node);
}

function linkOf(node, rel) {
  const links = childrenOf(node, "link").filter(({ attributes }) => (attributes.rel ?? "alternate") === rel);
  const page = links.find(({ attributes }) => (attributes.type ?? "text/html").includes("html"));
  return (page ?? links[0])?.attributes.href;
}

// `<atom:feed>` and `<rdf:RDF>` have names of their own in front.
function withoutPrefix(root) {
  const [prefix, local] = root?.name.split(":") ?? [];
  if (local === undefined) return root;
  const strip = (node) => {
    if (typeof node === "string") return node;
    const name = node.name.startsWith(`${prefix}:`) ? node.name.slice(prefix.length + 1) : node.name;
    return { ...node, name, children: node.children.map(strip) };
  };
  return strip(root);
}

function plain(text) {
  return text === undefined ? undefined : oneLine(text) || undefined;
}

function isoTime(ms) {
  const date = new Date(ms ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function described(fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
