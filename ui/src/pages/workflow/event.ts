// The event that a workflow is run with by hand.

const EXAMPLE = '{\n  "body": {\n    "hello": "world"\n  }\n}\n';
// Of this window alone: events can hold what the next person at this machine must not see.
const key = (workflow: string) => `sluice-event-${workflow}`;

export function lastEvent(workflow: string): string {
  return sessionStorage.getItem(key(workflow)) ?? EXAMPLE;
}

export function rememberEvent(workflow: string, text: string) {
  try {
    sessionStorage.setItem(key(workflow), text);
  } catch {
    // It is larger than the browser keeps; the run does not depend on it.
  }
}

/** What was typed as a value, or what is wrong with it. Nothing at all is an empty event. */
export function readEvent(text: string): { good: true; event: unknown } | { good: false; words: string } {
  if (text.trim() === '') return { good: true, event: {} };
  try {
    return { good: true, event: JSON.parse(text) as unknown };
  } catch (error) {
    return { good: false, words: `This is not JSON: ${(error as Error).message}` };
  }
}
