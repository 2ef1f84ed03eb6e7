// The event of a manual run.

const EXAMPLE = '{\n  "body": {\n    "hello": "world"\n  }\n}\n';
// Stored for the session only: events can contain personal data.
const key = (workflow: string) => `sluice-event-${workflow}`;

export function lastEvent(workflow: string): string {
  return sessionStorage.getItem(key(workflow)) ?? EXAMPLE;
}

export function storeEvent(workflow: string, text: string) {
  try {
    sessionStorage.setItem(key(workflow), text);
  } catch {
    // The event exceeds the storage limit. The run does not need it.
  }
}

/** Parses the event. Empty text is an empty event. */
export function parseEvent(text: string): { valid: true; event: unknown } | { valid: false; error: string } {
  if (text.trim() === '') return { valid: true, event: {} };
  try {
    return { valid: true, event: JSON.parse(text) as unknown };
  } catch (error) {
    return { valid: false, error: `Invalid JSON: ${(error as Error).message}` };
  }
}
