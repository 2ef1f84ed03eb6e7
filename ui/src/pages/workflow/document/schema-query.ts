// Loads the schema of workflow documents.
import { api, body } from '../../../api/client';
import { queries } from '../../../api/queries';
import type { Schema } from './schema';

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && 'properties' in value;
}

/** The schema, loaded once; undefined if it cannot be loaded. The editor works without it. */
export async function fetchSchema(): Promise<Schema | undefined> {
  const request = queries.fetchQuery({
    queryKey: ['workflow-schema'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => body(api.GET('/v1/workflows/schema.json')),
  });
  const response: unknown = await request.catch(() => undefined);
  return isSchema(response) ? response : undefined;
}
