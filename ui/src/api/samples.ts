// Samples of the events that sources emit, from the files beside their code.
import { api, data } from './client';
import { isMissing } from './errors';
import { queries } from './queries';

/** Query options of the sample of a component; null without one. */
export function sampleOptions(component: string) {
  return {
    queryKey: ['sample', component],
    queryFn: () => sampleOf(component),
    // Components are immutable.
    staleTime: Number.POSITIVE_INFINITY,
  };
}

async function sampleOf(component: string): Promise<{ event: unknown } | null> {
  const params = { path: { key_or_id: component }, query: { include: 'sample_event' } };
  const { sample_event } = await data(api.GET('/v1/components/{key_or_id}', { params }));
  return sample_event === undefined || sample_event === null ? null : { event: sample_event };
}

export type SourceSample = { source: string; name: string; event: unknown };

/** Query options of the samples of some sources, in their order. Sources without a sample and deleted ones are left out. */
export function sourceSamplesOptions(sources: string[]) {
  return {
    queryKey: ['samples', ...sources],
    queryFn: async () => (await Promise.all(sources.map(sampleOfSource))).filter((sample) => sample !== undefined),
  };
}

async function sampleOfSource(source: string): Promise<SourceSample | undefined> {
  try {
    const params = { path: { id: source }, query: { include: 'name,component_id' } };
    const { name, component_id } = await data(api.GET('/v1/sources/{id}', { params }));
    const sample = await queries.fetchQuery(sampleOptions(component_id));
    return sample ? { source, name, event: sample.event } : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
