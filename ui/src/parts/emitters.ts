// Emitters that can be subscribed to: one source or workflow, or a pattern.

export const patterns = [
  { id: 'dc_*', name: 'All sources' },
  { id: 'p_*', name: 'All workflows' },
  { id: '*', name: 'All new sources and workflows' },
] as const;

/** The name of a pattern; undefined for the id of a single emitter. */
export function patternName(id: string): string | undefined {
  return patterns.find((pattern) => pattern.id === id)?.name;
}

/** The display name of a channel. The default channel has no name in the API. */
export function channelName(channel: string): string {
  if (channel === '' || channel === 'default') return 'Default';
  if (channel === '$errors') return 'Errors';
  if (channel === '$logs') return 'Logs';
  return channel;
}
