// The editor theme. It uses the colour tokens, so light and dark need no second theme.
import { HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

export const colours = HighlightStyle.define([
  { tag: [tags.comment, tags.meta], color: 'var(--code-comment)' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.self], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--code-number)' },
  {
    tag: [tags.propertyName, tags.definition(tags.propertyName), tags.attributeName, tags.tagName],
    color: 'var(--code-key)',
  },
  { tag: [tags.typeName, tags.className, tags.namespace], color: 'var(--code-key)' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

const control = {
  width: 'auto',
  minHeight: '1.6rem',
  padding: '0.1rem 0.45rem',
  border: '1px solid var(--line-strong)',
  borderRadius: 'var(--radius-small)',
  background: 'var(--surface)',
  color: 'var(--text)',
  font: 'var(--text-sm) var(--font)',
};
const popup = {
  border: '1px solid var(--line)',
  borderRadius: 'var(--radius-small)',
  background: 'var(--raised)',
  color: 'var(--text)',
  boxShadow: 'var(--shadow-raised)',
};
const wave = (colour: string) => ({
  backgroundImage: 'none',
  textDecoration: `underline wavy ${colour} 1px`,
  textUnderlineOffset: '3px',
});

export const frame = EditorView.theme({
  '&': { background: 'var(--surface)', color: 'var(--text)', fontSize: 'var(--text-sm)' },
  // Drawn above everything: an outline would be hidden by gutters and panels.
  '&.cm-focused': { outline: 'none' },
  '&.cm-focused::after': {
    content: '""',
    position: 'absolute',
    zIndex: '301',
    inset: '0',
    border: '2px solid var(--focus)',
    pointerEvents: 'none',
  },
  '.cm-scroller': {
    minHeight: 'var(--editor-min-height)',
    maxHeight: 'var(--editor-max-height)',
    overflow: 'auto',
    fontFamily: 'var(--mono)',
    lineHeight: '1.55',
  },
  '.cm-content': { padding: '0.5rem 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 0.75rem 0 0.25rem' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { border: '0', background: 'var(--surface)', color: 'var(--text-faint)' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '2.4rem', padding: '0 0.35rem 0 0.5rem' },
  '.cm-gutter-lint': { width: '1.1rem' },
  '.cm-foldGutter .cm-gutterElement': { cursor: 'pointer' },
  '.cm-foldPlaceholder': {
    padding: '0 0.35rem',
    border: '1px solid var(--line)',
    background: 'var(--sunken)',
    color: 'var(--text-faint)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { background: 'color-mix(in srgb, var(--hover) 60%, transparent)' },
  '.cm-activeLineGutter': { color: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, ::selection': {
    background: 'color-mix(in srgb, var(--accent) 24%, transparent)',
  },
  '.cm-selectionMatch': { background: 'color-mix(in srgb, var(--accent) 14%, transparent)' },
  '&.cm-focused .cm-matchingBracket': {
    background: 'var(--accent-wash)',
    outline: '1px solid color-mix(in srgb, var(--accent) 50%, transparent)',
  },
  '&.cm-focused .cm-nonmatchingBracket': { background: 'var(--bad-wash)', color: 'var(--bad)' },
  '.cm-searchMatch': { background: 'var(--warn-wash)', outline: '1px solid var(--warn)' },
  '.cm-searchMatch-selected': { background: 'var(--accent-wash)', outline: '1px solid var(--accent)' },
  '.cm-specialChar': { color: 'var(--bad)' },

  '.cm-panels': { background: 'var(--sunken)', color: 'var(--text)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: '0.4rem 2rem 0.4rem 0.5rem', font: 'var(--text-sm) var(--font)' },
  '.cm-panel.cm-search label': { fontSize: 'var(--text-sm)', fontWeight: '400' },
  '.cm-panel.cm-search input, .cm-panel.cm-search button': { margin: '0.15rem 0.4rem 0.15rem 0', fontSize: 'inherit' },
  '.cm-panel input.cm-textfield': control,
  '.cm-panel button.cm-button': { ...control, backgroundImage: 'none', cursor: 'pointer' },
  '.cm-panel button.cm-button:hover': { background: 'var(--hover)' },
  '.cm-panel.cm-search [name=close]': { color: 'var(--text-faint)', fontSize: 'var(--text-lg)', cursor: 'pointer' },

  '.cm-tooltip': popup,
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '0.15rem 0.5rem' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { background: 'var(--accent-wash)', color: 'var(--text)' },
  '.cm-tooltip.cm-completionInfo': { maxWidth: '24rem', padding: '0.4rem 0.6rem', font: 'var(--text-sm) var(--font)' },
  '.cm-diagnostic': {
    padding: '0.3rem 0.6rem',
    border: '0',
    font: 'var(--text-sm) var(--font)',
    whiteSpace: 'pre-wrap',
  },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--bad)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--warn)' },
  '.cm-lintRange-error': wave('var(--bad)'),
  '.cm-lintRange-warning': wave('var(--warn)'),
  '.cm-lintPoint:after': { borderBottomColor: 'var(--bad)' },
  // The content security policy blocks `data:` images, so the marker is a dot.
  '.cm-lint-marker': {
    content: '""',
    width: '0.55rem',
    height: '0.55rem',
    margin: '0.4rem auto 0',
    borderRadius: '50%',
  },
  '.cm-lint-marker-error': { content: '""', background: 'var(--bad)' },
  '.cm-lint-marker-warning': { content: '""', background: 'var(--warn)' },
  '.cm-panel.cm-panel-lint ul': { maxHeight: '8rem' },
  '.cm-panel.cm-panel-lint ul [aria-selected]': { background: 'var(--hover)' },
});
