// The event of a manual run, from the sample of an event that the source emits.
import { triggersOf } from '../../parts/triggers';

type Props = Record<string, unknown>;

/** Whether the source receives events that can look like its sample: from HTTP requests or other emitters, not from a timer. */
export function takesSample(props: Props): boolean {
  const { endpoints, timers } = triggersOf(props);
  return endpoints.length > 0 || timers.length === 0;
}

/** The event of a request with the sample as its body; without an endpoint the sample. `bodyRaw` is left out: it would not follow edits. */
export function eventOfSample(props: Props, sample: unknown): unknown {
  if (triggersOf(props).endpoints.length === 0) return sample;
  return { method: 'POST', path: '/', query: {}, headers: { 'content-type': 'application/json' }, body: sample };
}
