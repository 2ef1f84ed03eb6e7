// Markdown from components and apps. The text is untrusted, so it becomes a tree of known elements and never HTML.
import MarkdownIt, { type Token } from 'markdown-it';

const BLOCKS = ['p', 'ul', 'ol', 'li', 'blockquote', 'table', 'thead', 'tbody', 'tr', 'th', 'td'] as const;
const INLINE = ['em', 'strong', 's'] as const;

type Tag = (typeof BLOCKS)[number] | (typeof INLINE)[number] | 'a' | 'code' | 'pre' | 'br' | 'hr';
/** `href` is the checked address of a link, `start` the first number of a list. */
type MarkupElement = { tag: Tag; href?: string; start?: number; children: Markup[] };
export type Markup = string | MarkupElement;

/** The time to parse hostile text grows faster than its length. Text after this many characters is shown as it is. */
const MAX_PARSED = 10_000;
/** A line of a list shows less than this. */
const MAX_SUMMARY = 1_000;

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
const INLINE_TAGS: Tag[] = [...INLINE, 'a', 'code'];
const ELEMENTS = new Map<string, Tag>([...BLOCKS, ...INLINE].map((tag) => [tag, tag]));
const PROTOCOLS = ['http:', 'https:', 'mailto:'];

// HTML is text by default. Addresses within text become links.
const parser = new MarkdownIt({ linkify: true });
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
// `addressOf` decides about links. The text of a rejected link is shown without its address.
parser.validateLink = () => true;

/** Reads Markdown. */
export function parse(markdown: string): Markup[] {
  const nodes = nodesOf(parser.parse(markdown.slice(0, MAX_PARSED), {}));
  const rest = markdown.slice(MAX_PARSED);
  return rest === '' ? nodes : [...nodes, { tag: 'p', children: [rest] }];
}

/** The text of Markdown in one line, for lists and tooltips. */
export function plainText(markdown: string): string {
  const text = textOf(parse(markdown.slice(0, MAX_SUMMARY)));
  return oneLine(markdown.length > MAX_SUMMARY ? `${text.trimEnd()}…` : text);
}

function nodesOf(tokens: Token[]): Markup[] {
  const root: MarkupElement = { tag: 'p', children: [] };
  const open = [root];
  let inLink = false;
  for (const token of tokens) {
    const parent = open.at(-1) ?? root;
    if (token.type === 'link_open') inLink = true;
    if (token.type === 'link_close') inLink = false;
    if (token.nesting === 1) open.push(openElement(token, parent));
    else if (token.nesting === -1) closeElement(open.pop());
    else parent.children.push(...leavesOf(token, inLink));
  }
  return root.children;
}

/** Adds the element and returns the parent of the next tokens. */
function openElement(token: Token, parent: MarkupElement): MarkupElement {
  if (HEADINGS.includes(token.tag)) {
    const strong: MarkupElement = { tag: 'strong', children: [] };
    parent.children.push({ tag: 'p', children: [strong] });
    return strong;
  }
  const element = elementOf(token);
  // Paragraphs of compact lists are hidden.
  if (!element || token.hidden) return parent;
  parent.children.push(element);
  return element;
}

/** A link without text shows its address. */
function closeElement(element: MarkupElement | undefined): void {
  if (element?.href && element.children.length === 0) element.children.push(element.href);
}

/** The element of a token; undefined if only its content is shown. */
function elementOf(token: Token): MarkupElement | undefined {
  if (token.type === 'link_open') {
    const href = addressOf(attribute(token, 'href'));
    return href === undefined ? undefined : { tag: 'a', href, children: [] };
  }
  const tag = ELEMENTS.get(token.tag);
  if (tag === undefined) return undefined;
  const start = attribute(token, 'start');
  return start === '' ? { tag, children: [] } : { tag, start: Number(start), children: [] };
}

function leavesOf(token: Token, inLink: boolean): Markup[] {
  switch (token.type) {
    case 'inline':
      return nodesOf(token.children ?? []);
    case 'softbreak':
      return ['\n'];
    case 'hardbreak':
      return [{ tag: 'br', children: [] }];
    case 'hr':
      return [{ tag: 'hr', children: [] }];
    case 'code_inline':
      return [{ tag: 'code', children: [token.content] }];
    case 'code_block':
    case 'fence':
      return [{ tag: 'pre', children: [token.content] }];
    case 'image':
      return [imageOf(token, inLink)];
    default:
      return [token.content];
  }
}

/** A link to the image, because loading it would be a request to another host. Links cannot be nested. */
function imageOf(token: Token, inLink: boolean): Markup {
  const source = attribute(token, 'src');
  const name = oneLine(textOf(nodesOf(token.children ?? []))) || source;
  const href = inLink ? undefined : addressOf(source);
  return href === undefined ? name : { tag: 'a', href, children: [name] };
}

/** The address of a link; undefined if it is relative or has another protocol. */
function addressOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return PROTOCOLS.includes(url.protocol) ? url.href : undefined;
}

function attribute(token: Token, name: string): string {
  return String(token.attrGet(name) ?? '');
}

function textOf(nodes: Markup[]): string {
  return nodes.map((node) => (typeof node === 'string' ? node : elementText(node))).join('');
}

/** Blocks are separated by spaces. */
function elementText({ tag, children }: MarkupElement): string {
  const text = textOf(children);
  return INLINE_TAGS.includes(tag) ? text : ` ${text} `;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
