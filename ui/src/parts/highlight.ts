// Syntax highlighting for read-only code. Loaded on demand.
import { highlightCode, tagHighlighter, tags } from '@lezer/highlight';
import { parser } from '@lezer/javascript';

export type Piece = { text: string; kind: string };

const kinds = tagHighlighter([
  { tag: tags.comment, class: 'comment' },
  { tag: [tags.string, tags.special(tags.string)], class: 'string' },
  { tag: [tags.number, tags.bool, tags.null], class: 'literal' },
  { tag: [tags.keyword, tags.modifier, tags.controlKeyword, tags.self], class: 'keyword' },
  { tag: tags.propertyName, class: 'key' },
]);

export function pieces(code: string): Piece[] {
  const found: Piece[] = [];
  highlightCode(
    code,
    parser.parse(code),
    kinds,
    (text, kind) => found.push({ text, kind }),
    () => found.push({ text: '\n', kind: '' }),
  );
  return found;
}
