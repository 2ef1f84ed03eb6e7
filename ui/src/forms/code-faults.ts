// What is wrong with a component's code, as the server tells it, at the lines where it is.
import { ApiFailure } from '../api/client';
import type { Fault } from '../parts/editor/editing';

/** The faults of code that was refused; undefined when the refusal is about something else. */
export function codeFaults(error: unknown): { placed: Fault[]; others: string[] } | undefined {
  const told = error instanceof ApiFailure ? error.details.component_code : undefined;
  if (!told) return undefined;
  const placed: Fault[] = [];
  const others: string[] = [];
  for (const fault of told) {
    if (typeof fault !== 'string') {
      placed.push(fault);
      continue;
    }
    const place = /^(.*) \(line (\d+)(?:, column (\d+))?\)$/s.exec(fault);
    if (!place) others.push(fault);
    else
      placed.push({
        message: place[1] ?? fault,
        line: Number(place[2]),
        column: place[3] ? Number(place[3]) : undefined,
      });
  }
  return { placed, others };
}
