// Links to traces, from any id in them.

const IDS = [
  /^\d{10,}-\d+$/,
  /^(dc|p)_[0-9A-Za-z]+\/\d+-\d+$/,
  /^[0-9A-Za-z]{27}$/,
  /^dlv_[0-9A-Za-z]+$/,
  /^[0-9a-f]{32}$/,
  /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/,
];

/** Whether a text may be an id of a part of a trace. */
export const isTraceId = (text: string) => IDS.some((pattern) => pattern.test(text));

/** The page of the trace with an id; with the source or workflow that the id belongs to, if it is known. */
export function traceHref(id: string, emitter?: string): string {
  return `/traces/${encodeURIComponent(id)}${emitter ? `?emitter=${emitter}` : ''}`;
}
