// YAML in which the code of steps is read as JavaScript, so that it has its colours and its indentation.
import { javascriptLanguage } from '@codemirror/lang-javascript';
import { yamlLanguage } from '@codemirror/lang-yaml';
import { LanguageSupport } from '@codemirror/language';
import { parseMixed } from '@lezer/common';

/** Takes the place of plain YAML in an editor. Its data, such as completion, is that of YAML. */
export function yamlWithCode(): LanguageSupport {
  const wrap = parseMixed((node, input) => {
    if (node.name !== 'BlockLiteralContent') return null;
    const key = node.node.parent?.parent?.getChild('Key');
    return key && input.read(key.from, key.to) === 'code' ? { parser: javascriptLanguage.parser } : null;
  });
  return new LanguageSupport(yamlLanguage.configure({ wrap }));
}
