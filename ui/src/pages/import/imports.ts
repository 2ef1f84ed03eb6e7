// The imports that can be undone.
import { api, data } from '../../api/client';
import type { Import, UndoneImport } from '../../api/imports';
import { queries } from '../../api/queries';
import { confirm } from '../../parts/confirmation.svelte';
import { attempt, toast } from '../../parts/toasts.svelte';

const IMPORTS_KEY = ['imports'] as const;

/** Query options of the last import of each name, newest first. */
export function importsOptions() {
  return { queryKey: IMPORTS_KEY, queryFn: () => data(api.GET('/v1/components/registry/imports')) };
}

/** Refetches all lists that an import or its undo changes. */
export function refreshRegistry() {
  return Promise.all(
    [IMPORTS_KEY, ['apps'], ['components']].map((queryKey) => queries.invalidateQueries({ queryKey })),
  );
}

const UNDO_NOTE =
  'Components that it added are removed from the registry. Components that it changed or removed are restored. Sources and workflows keep running, and apps stay.';

/** Undoes an import after confirmation. */
export async function undoImport({ id, tree }: Pick<Import, 'id' | 'tree'>) {
  if (!(await confirm(`Undo the import of ${tree}?`, UNDO_NOTE, 'Undo import'))) return;
  await attempt(async () => {
    const undone = await data(api.DELETE('/v1/components/registry/imports/{id}', { params: { path: { id } } }));
    toast(undoneText(undone));
  });
  await refreshRegistry();
}

function undoneText({ removed, restored, kept }: UndoneImport): string {
  const text = `Import undone: ${removed.toLocaleString()} removed, ${restored.toLocaleString()} restored`;
  return kept > 0 ? `${text}, ${kept.toLocaleString()} kept because they changed since` : text;
}
