// The schema of documents, as the server has it.
import { api, body } from '../../../api/client';
import { queries } from '../../../api/queries';
import type { Schema } from './schema';

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && 'properties' in value;
}

/** The schema, asked for once; undefined when it cannot be had, and the editor then does without. */
export async function askSchema(): Promise<Schema | undefined> {
  const asked = queries.fetchQuery({
    queryKey: ['workflow-schema'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => body(api.GET('/v1/workflows/schema.json')),
  });
  const answer: unknown = await asked.catch(() => undefined);
  return isSchema(answer) ? answer : undefined;
}
