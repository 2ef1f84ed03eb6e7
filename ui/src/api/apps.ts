// The apps of the server, by slug.
import { api, body, data } from './client';
import { isMissing } from './errors';
import { LARGEST_PAGE } from './pages';
import type { App, ListedApp } from './types';

const STALE_MS = 10 * 60_000;

/** Query options of an app; null if it is not registered. */
export function appOptions(slug: string) {
  return { queryKey: ['apps', slug], queryFn: () => find(slug) };
}

/** As `appOptions`, for its name and its icon, which hardly change. */
export function appLookOptions(slug: string | undefined) {
  return { ...appOptions(slug ?? ''), enabled: slug !== undefined, staleTime: STALE_MS };
}

async function find(slug: string): Promise<App | null> {
  try {
    return await data(api.GET('/v1/apps/{id_or_slug}', { params: { path: { id_or_slug: slug } } }));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Query options of an app with its numbers of components. Searches the list: the slug may have no app. */
export function listedAppOptions(slug: string) {
  return {
    queryKey: ['apps', 'listed', slug],
    queryFn: async (): Promise<ListedApp | null> => {
      const query = { q: slug, sort: 'popularity', limit: LARGEST_PAGE } as const;
      const { data } = await body(api.GET('/v1/apps', { params: { query } }));
      return data.find(({ name_slug }) => name_slug === slug) ?? null;
    },
    staleTime: STALE_MS,
  };
}
