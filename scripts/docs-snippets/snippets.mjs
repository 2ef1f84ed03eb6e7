// Snippets of Markdown that are run: fenced blocks with the info string `<language> verify <name>`.

const FENCE = /^```(\S+) verify (\S+)\n([\s\S]*?)^```$/gm;

/** `{language, name, code}` of each. */
export function snippetsOf(markdown) {
  return [...markdown.matchAll(FENCE)].map(([, language, name, code]) => ({ language, name, code }));
}
