// Which sources and workflows use which accounts. The API tells it of each source and of each version of a workflow.
import { ApiFailure, api, body } from '../../api/client';
import { everyPage, LARGEST_PAGE } from '../../api/pages';
import { queries } from '../../api/queries';
import { isRecord } from '../../forms/prop';
import { versionQuery } from '../workflow/asking';

/** As many are looked through; each workflow is a question of its own. */
const MOST_SOURCES = 1_000;
const MOST_WORKFLOWS = 200;
const AT_ONCE = 4;

export type Use = { id: string; name: string; kind: 'source' | 'workflow' };
export type Uses = {
  by: Map<string, Use[]>;
  /** What was not looked through, in words; empty when everything was. */
  left: string;
};

export async function uses(): Promise<Uses> {
  const [sources, workflows] = await Promise.all([usesOfSources(), usesOfWorkflows()]);
  const by = new Map<string, Use[]>();
  for (const { use, accounts } of [...sources.found, ...workflows.found]) {
    for (const account of accounts) by.set(account, [...(by.get(account) ?? []), use]);
  }
  const cut = [sources, workflows].filter(({ seen, total }) => seen < total);
  const left = cut.map(({ seen, total, what }) => `${seen.toLocaleString()} of ${total.toLocaleString()} ${what}`);
  return { by, left: left.join(' and ') };
}

type Found = { found: { use: Use; accounts: Set<string> }[]; seen: number; total: number; what: string };

async function usesOfSources(): Promise<Found> {
  const { items, total } = await everyPage((after) => {
    const query = { limit: LARGEST_PAGE, after, include: 'id,name,configured_props' };
    return body(api.GET('/v1/users/me/sources', { params: { query } }));
  }, MOST_SOURCES);
  const found = items.map(({ id, name, configured_props }) => ({
    use: { id, name, kind: 'source' as const },
    accounts: accountsIn(configured_props),
  }));
  return { found, seen: items.length, total, what: 'sources' };
}

async function usesOfWorkflows(): Promise<Found> {
  const { items, total } = await everyPage((after) => {
    const query = { limit: LARGEST_PAGE, after, include: 'id,name,version' };
    return body(api.GET('/v1/workflows', { params: { query } }));
  }, MOST_WORKFLOWS);
  const found: Found['found'] = [];
  const waiting = [...items];
  const look = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { id, name, version } = next;
      const props = await propsOf(id, version);
      found.push({
        use: { id, name, kind: 'workflow' },
        accounts: new Set(props.flatMap((own) => [...accountsIn(own)])),
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, look));
  return { found, seen: items.length, total, what: 'workflows' };
}

/** The props of each step. A workflow that was deleted meanwhile has none. */
async function propsOf(workflow: string, version: number): Promise<unknown[]> {
  try {
    const { definition } = await queries.ensureQueryData(versionQuery(workflow, version));
    const { steps } = definition as { steps?: unknown };
    return Array.isArray(steps) ? steps.filter(isRecord).map(({ props }) => props) : [];
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) return [];
    throw error;
  }
}

/** The accounts that the values of props name. */
function accountsIn(props: unknown): Set<string> {
  const values = isRecord(props) ? Object.values(props) : [];
  return new Set(
    values.flatMap((value) =>
      isRecord(value) && typeof value.authProvisionId === 'string' ? [value.authProvisionId] : [],
    ),
  );
}
