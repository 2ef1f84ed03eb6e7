// The file of an archive.

/** The largest archive that the server accepts. */
const MAX_BYTES = 512 * 1024 ** 2;
// Browsers add a number to a repeated download: `a (1).tar.gz` or `a.tar (1).gz`.
const ENDING = /\.(tar|tar( ?\(\d+\))?\.gz|tgz)$/i;

/** Why a file cannot be imported; undefined if it can. */
export function archiveError({ name, size }: { name: string; size: number }): string | undefined {
  if (!ENDING.test(name)) return 'Choose a .tar, .tar.gz or .tgz file.';
  if (size > MAX_BYTES) return 'The archive is larger than 512 MB.';
  return undefined;
}

/** The name of an import, from the name of its file. Versions are removed: a later import needs the same name. */
export function nameOfArchive(file: string): string {
  const base = file.replace(ENDING, '').replace(/ ?\(\d+\)$/, '');
  const name = base.replace(/[-_.](v?\d+(\.\d+)+|v\d+|[0-9a-f]{7,40})$/i, '');
  return name || base;
}
