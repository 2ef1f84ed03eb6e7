// Entries of agents in words.
import type { AuditEntry } from '../../api/types';

export const DELETED = 'Deleted key';

/** The tool that an action ran as. */
export function toolOf(details: unknown): string | undefined {
  const tool = typeof details === 'object' && details !== null && 'tool' in details ? details.tool : undefined;
  return typeof tool === 'string' ? tool : undefined;
}

type Key = { id: string; name: string };
type Actor = Pick<AuditEntry['actor'], 'credential_id' | 'credential_name'> & Partial<AuditEntry['actor']>;

/** The names of keys by id: of existing ones, of authors whose key is deleted, and of the selected one. */
export function namesOfKeys(keys: Key[], actors: Actor[], selected: string): Map<string, string> {
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  for (const { credential_id: id, credential_name: name } of actors)
    if (id && !names.get(id)) names.set(id, name || DELETED);
  if (selected !== '' && !names.has(selected)) names.set(selected, DELETED);
  return names;
}
