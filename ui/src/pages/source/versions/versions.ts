// Queries of the versions of a source, and their texts.
import { api, data } from '../../../api/client';
import { queries } from '../../../api/queries';
import type { Source, WholeSourceVersion } from '../../../api/types';
import { codeFiles } from '../code/code-files';
import { refresh, sourceKey } from '../source';

/** The key starts with that of the source, so that a change of the source refetches the list. */
export function versionsQuery(id: string) {
  return {
    queryKey: [...sourceKey(id), 'versions'],
    queryFn: () => data(api.GET('/v1/sources/{id}/versions', { params: { path: { id } } })),
  };
}

/** Versions are immutable. The list of versions tells which one is current. */
export function versionQuery(id: string, number: number) {
  return {
    queryKey: ['source-version', id, number],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => data(api.GET('/v1/sources/{id}/versions/{number}', { params: { path: { id, number } } })),
  };
}

export async function rollBack(id: string, version: number): Promise<Source> {
  const source = await data(api.POST('/v1/sources/{id}/rollback', { params: { path: { id } }, body: { version } }));
  queries.setQueryData<Source>(sourceKey(id), (known) => ({ ...known, ...source }));
  refresh(id);
  void queries.invalidateQueries({ queryKey: ['sources'] });
  return source;
}

/** The values of the props as text. */
export function propsText({ configured_props }: WholeSourceVersion): string {
  return Object.keys(configured_props).length === 0 ? '' : `${JSON.stringify(configured_props, null, 2)}\n`;
}

/** The title of the file that is loaded. */
export const CODE = 'Code';

/** The files of the code and the props, by title. */
export function textsOf(version: WholeSourceVersion): Record<string, string> {
  const { entry, texts } = codeFiles(version);
  const titled = Object.entries(texts).map(([path, text]) => [path === entry ? CODE : path, text]);
  return { ...Object.fromEntries(titled), Props: propsText(version) };
}
