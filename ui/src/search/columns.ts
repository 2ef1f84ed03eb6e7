// Columns: fields of events, written as in a query (`customer.name`, `"e.mail".at`).

const MAX_DEPTH = 3;
const MAX_FIELDS = 60;
const PLAIN = /^[^.:,"\s]+$/;

/** The paths in a list that is separated by commas. */
export function parseColumns(text: string | undefined): string[] {
  return text?.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? [];
}

export function writeColumns(columns: string[]): string {
  return columns.join(',');
}

function namesOf(path: string): string[] {
  const names = path.match(/"(?:[^"\\]|\\.)*"|[^."]+/g) ?? [];
  return names.map((name) => (name.startsWith('"') ? name.slice(1, -1).replace(/\\(["\\])/g, '$1') : name));
}

function written(name: string): string {
  return PLAIN.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;
}

/** The paths of the fields of an event that are not objects. */
export function fieldsOf(event: unknown): string[] {
  const fields: string[] = [];
  const visit = (value: unknown, path: string, depth: number) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      if (path !== '') fields.push(path);
      return;
    }
    if (depth === MAX_DEPTH) return;
    for (const [name, inner] of Object.entries(value))
      visit(inner, path === '' ? written(name) : `${path}.${written(name)}`, depth + 1);
  };
  visit(event, '', 0);
  return fields.slice(0, MAX_FIELDS);
}

/** The value at a path as text; empty if there is none. */
export function cellOf(event: unknown, path: string): string {
  let value = event;
  for (const name of namesOf(path)) {
    if (typeof value !== 'object' || value === null) return '';
    value = (value as Record<string, unknown>)[name];
  }
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
