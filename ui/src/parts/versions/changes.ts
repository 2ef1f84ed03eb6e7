// The texts that differ between two versions.

export type Change = { path: string; before: string; after: string };

/** Texts by path. A text that one side lacks is empty there. */
export function changesOf(before: Record<string, string>, after: Record<string, string>): Change[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return paths
    .map((path) => ({ path, before: before[path] ?? '', after: after[path] ?? '' }))
    .filter((change) => change.before !== change.after);
}
