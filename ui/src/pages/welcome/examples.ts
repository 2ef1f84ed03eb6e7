// The example sources.
import requests from './examples/requests.js?raw';
import ticks from './examples/ticks.js?raw';

export type ExampleId = 'requests' | 'ticks';
export type Example = { id: ExampleId; choice: string; name: string; file: string; code: string };

export const examples: Record<ExampleId, Example> = {
  requests: {
    id: 'requests',
    choice: 'HTTP endpoint',
    name: 'First requests',
    file: 'requests.mjs',
    code: requests,
  },
  ticks: { id: 'ticks', choice: 'Timer', name: 'First ticks', file: 'ticks.mjs', code: ticks },
};

/** The body of the example request. */
export const greeting = { hello: 'world' };

export function curl(endpoint: string): string {
  return `curl ${endpoint} \\\n  -H 'content-type: application/json' \\\n  -d '${JSON.stringify(greeting)}'`;
}
