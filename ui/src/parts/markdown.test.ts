import { render } from 'svelte/server';
import { describe, expect, test } from 'vitest';
import Markdown from './Markdown.svelte';
import { plainText } from './markdown';

/** The HTML of the component, without its own attributes and the marks of Svelte. */
function html(text: string): string {
  const { body } = render(Markdown, { props: { text } });
  return body
    .replace(/<!--.*?-->/g, '')
    .replace(/ class="[^"]*"/g, '')
    .replace(' dir="auto"', '')
    .replaceAll(' target="_blank" rel="noreferrer noopener"', '')
    .replace(/^<div>|<\/div>$/g, '');
}

describe('Markdown', () => {
  test.each([
    ['', ''],
    ['Text', '<p>Text</p>'],
    ['a\n\nb', '<p>a</p><p>b</p>'],
    ['a\nb', '<p>a\nb</p>'],
    ['a\\\nb', '<p>a<br/>b</p>'],
    ['*a* **b** ~~c~~ `d*e*`', '<p><em>a</em> <strong>b</strong> <s>c</s> <code>d*e*</code></p>'],
    ['***a***', '<p><em><strong>a</strong></em></p>'],
    ['# Title\ntext', '<p><strong>Title</strong></p><p>text</p>'],
    ['- a\n- b', '<ul><li>a</li><li>b</li></ul>'],
    ['- a\n\n- b', '<ul><li><p>a</p></li><li><p>b</p></li></ul>'],
    ['3. a\n   - b', '<ol start="3"><li>a<ul><li>b</li></ul></li></ol>'],
    ['> a', '<blockquote><p>a</p></blockquote>'],
    ['```js\na < b\n```', '<pre>a &lt; b\n</pre>'],
    ['a\n\n---\n\nb', '<p>a</p><hr/><p>b</p>'],
    [
      '|a|b|\n|-|:-:|\n|1|2|',
      '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>',
    ],
    ['2 ** 3, snake_case_name and `open', '<p>2 ** 3, snake_case_name and `open</p>'],
    ['&amp; &copy; \\*', '<p>&amp; © *</p>'],
  ])('%j', (text, expected) => {
    expect(html(text)).toBe(expected);
  });

  test.each([
    ['[the docs](https://e.com/a?b=1&c=2)', '<a href="https://e.com/a?b=1&amp;c=2">the docs</a>'],
    ['[a **b**](HTTP://E.com)', '<a href="http://e.com/">a <strong>b</strong></a>'],
    ['[us](mailto:a@e.com)', '<a href="mailto:a@e.com">us</a>'],
    ['[a](https://e.com "a \\" title=\'x\'")', '<a href="https://e.com/">a</a>'],
    ['<https://e.com>', '<a href="https://e.com/">https://e.com</a>'],
    ['https://e.com/a_b_c.', '<a href="https://e.com/a_b_c">https://e.com/a_b_c</a>.'],
    ['[a]\n\n[a]: https://e.com', '<a href="https://e.com/">a</a>'],
    ['[](https://e.com)', '<a href="https://e.com/">https://e.com/</a>'],
    ['[[[a]]](https://e.com)', '<a href="https://e.com/">[[a]]</a>'],
    [
      '[a [b](https://b.com)](https://a.com)',
      '[a <a href="https://b.com/">b</a>](<a href="https://a.com/">https://a.com</a>)',
    ],
    ['![logo](https://e.com/a.png "Title")', '<a href="https://e.com/a.png">logo</a>'],
    ['![](https://e.com/a.png)', '<a href="https://e.com/a.png">https://e.com/a.png</a>'],
    ['[![*my* logo](https://e.com/a.png)](https://e.com)', '<a href="https://e.com/">my logo</a>'],
    ['[not a link] (x), e.com and a@e.com', '[not a link] (x), e.com and a@e.com'],
  ])('links: %j', (text, expected) => {
    expect(html(text)).toBe(`<p>${expected}</p>`);
  });

  test('links open a window without access to the console', () => {
    const { body } = render(Markdown, { props: { text: '[a](https://e.com)' } });
    expect(body).toContain('target="_blank" rel="noreferrer noopener"');
  });
});

describe('hostile Markdown', () => {
  test.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](<java\tscript:alert(1)>)',
    '[x](<\u0001javascript:alert(1)>)',
    '[x](&#106;avascript:alert(1))',
    '[x](javascript&colon;alert(1))',
    '[x](vbscript:x)',
    '[x](data:text/html,<script>alert(1)</script>)',
    '[x](data:image/svg+xml;base64,PHN2Zz4=)',
    '[x](blob:https://e.com/1)',
    '[x](file:///etc/passwd)',
    '[x](/v1/users)',
    '[x](//e.com)',
    '[x](?q=1)',
    '[x](#top)',
    '[x](../a)',
    '[x](https://)',
    '[x]\n\n[x]: javascript:alert(1)',
    '![x](javascript:alert(1))',
    '![x](data:image/png;base64,AAAA)',
    '![x](/logo.png)',
  ])('%j is text', (text) => {
    expect(html(text)).toBe('<p>x</p>');
  });

  test('automatic links of other protocols are text', () => {
    expect(html('<javascript:alert(1)> ftp://e.com //e.com')).toBe('<p>javascript:alert(1) ftp://e.com //e.com</p>');
  });

  test.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg onload=alert(1)>',
    '<style>* { display: none }</style>',
    '<form action="https://e.com"><input name=key></form>',
    '<iframe src="https://e.com"></iframe>',
    '<a href="javascript:alert(1)">x</a>',
    '<!-- comment -->',
    'a <b onclick="alert(1)">b</b>',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    '`<script>alert(1)</script>`',
    '```"><script>\n<script>alert(1)</script>\n```',
    '    <script>alert(1)</script>',
    '| <script> |\n|-|\n| <img src=x> |',
    '# <img src=x onerror=alert(1)>',
    '![<img src=x onerror=alert(1)>](https://e.com/x.png)',
    '[<script>alert(1)</script>](https://e.com)',
    '[x](https://e.com/"onmouseover="alert(1))',
    '[x](https://e.com "\\" onmouseover=\\"alert(1)")',
    '[x](https://e.com/<script>)',
  ])('%j has no elements or attributes of its own', (text) => {
    const tags = [...html(text).matchAll(/<[^>]*>/g)].map(([tag]) => tag);
    const known =
      /^<\/?(p|pre|code|strong|table|thead|tbody|tr|th|td)>$|^<a href="https:\/\/e\.com\/[^"\s]*">$|^<\/a>$/;
    expect(tags.filter((tag) => !known.test(tag))).toEqual([]);
  });

  const repeated = ['[', '![', '[a](', '*', '_', '**a *b ', '*a_ ', '`', '<', '&', '\\', '|a', 'http://'];
  const nested = ['>', '> ', '- ', '1. ', '[x]:\n'];
  test.each([...repeated, ...nested])('100,000 characters of %j', (text) => {
    const long = text.repeat(100_000 / text.length);
    const start = performance.now();
    html(long);
    plainText(long);
    // Usually below 0.1 s.
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  test('text beyond the limit is not parsed', () => {
    const shown = html(`**start** ${'x '.repeat(10_000)}**end**`);
    expect(shown).toContain('<strong>start</strong>');
    expect(shown).toContain('x **end**</p>');
  });
});

test.each([
  ['', ''],
  [' \n ', ''],
  ['See [the docs](https://e.com).', 'See the docs.'],
  ['![logo](https://e.com/a.png "Title")', 'logo'],
  ['[![logo](https://e.com/a.png)](https://e.com)', 'logo'],
  ['**bold**, *em* and `code`', 'bold, em and code'],
  ['# Title\n\nFirst\nsecond\\\nthird.\n\n- a\n- b\n\n> c', 'Title First second third. a b c'],
  ['```\na\nb\n```\nc', 'a b c'],
  ['|a|b|\n|-|-|\n|1|2|', 'a b 1 2'],
  ['<b>x</b> &amp; [y](javascript:alert(1))', '<b>x</b> & y'],
  ['2 ** 3 and `open', '2 ** 3 and `open'],
  ['Grüße 🚀 **日本**', 'Grüße 🚀 日本'],
])('plainText(%j)', (markdown, expected) => {
  expect(plainText(markdown)).toBe(expected);
});

test('plainText cuts long text', () => {
  expect(plainText('word '.repeat(1_000))).toBe(`${'word '.repeat(200).trim()}…`);
});
