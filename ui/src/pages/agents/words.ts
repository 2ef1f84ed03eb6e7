// Entries of the audit log in words.

const VERBS: Record<string, string> = {
  run: 'Ran',
  test: 'Tested',
  create: 'Created',
  update: 'Changed',
  delete: 'Deleted',
  deploy: 'Deployed',
  activate: 'Activated',
  deactivate: 'Deactivated',
  replay: 'Replayed',
  enable: 'Enabled',
  disable: 'Disabled',
  publish: 'Published',
  rollback: 'Rolled back',
};

/** An action such as `source.create`, as "Created source". */
export function phrase(action: string): string {
  const [subject = '', verb = ''] = action.split('.');
  const words = verb.replaceAll('_', ' ');
  const first = VERBS[verb] ?? words.charAt(0).toUpperCase() + words.slice(1);
  return `${first} ${subject.replaceAll('_', ' ')}`;
}

/** The tool that an action ran as. */
export function toolOf(details: unknown): string | undefined {
  const tool = typeof details === 'object' && details !== null && 'tool' in details ? details.tool : undefined;
  return typeof tool === 'string' ? tool : undefined;
}
