// Who can be listened to: one source or workflow, or all of a kind.

export const everyKind = [
  { id: 'dc_*', name: 'All sources' },
  { id: 'p_*', name: 'All workflows' },
  { id: '*', name: 'Each source and workflow created from now on' },
] as const;

/** What an id says that stands for several; undefined for that of one. */
export function everyEmitter(id: string): string | undefined {
  return everyKind.find((every) => every.id === id)?.name;
}

/** A channel in words: the default one has no name. */
export function channelName(channel: string): string {
  if (channel === '' || channel === 'default') return 'Events';
  if (channel === '$errors') return 'Errors';
  if (channel === '$logs') return 'Log lines';
  return channel;
}
