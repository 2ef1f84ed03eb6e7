// YAML with the code of steps parsed as JavaScript, for highlighting and indentation.
import { javascriptLanguage } from '@codemirror/lang-javascript';
import { yamlLanguage } from '@codemirror/lang-yaml';
import { LanguageSupport } from '@codemirror/language';
import { parseMixed } from '@lezer/common';

/** Replaces plain YAML in an editor. Language data, such as completion, is that of YAML. */
export function yamlWithCode(): LanguageSupport {
  const wrap = parseMixed((node, input) => {
    if (node.name !== 'BlockLiteralContent') return null;
    const key = node.node.parent?.parent?.getChild('Key');
    return key && input.read(key.from, key.to) === 'code' ? { parser: javascriptLanguage.parser } : null;
  });
  return new LanguageSupport(yamlLanguage.configure({ wrap }));
}
