// Templates of events for runs by hand, one for each kind of trigger.

export type TriggerKind = 'http' | 'timer' | 'event';

export type Template = { kind: TriggerKind; text: string; event: unknown };

const MS_PER_SECOND = 1_000;

const TEMPLATES: Record<TriggerKind, { text: string; event: (now: number) => unknown }> = {
  http: {
    text: 'HTTP request',
    event: () => ({
      method: 'POST',
      path: '/',
      query: {},
      headers: { 'content-type': 'application/json' },
      body: { hello: 'world' },
    }),
  },
  timer: {
    text: 'Timer tick',
    event: (now) => ({ timestamp: Math.floor(now / MS_PER_SECOND), interval_seconds: 60 }),
  },
  event: { text: 'Emitted event', event: () => ({ id: 1, name: 'Example' }) },
};

/** The templates for these triggers, each once. */
export function templatesFor(kinds: TriggerKind[], now: number): Template[] {
  return [...new Set(kinds)].map((kind) => ({ kind, text: TEMPLATES[kind].text, event: TEMPLATES[kind].event(now) }));
}
