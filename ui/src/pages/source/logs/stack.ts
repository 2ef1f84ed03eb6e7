// An error as the component sees it: what went wrong, and which of its own lines were on the way.

export type Frame = { place: string; line: number };
export type Failure = {
  /** Everything above the frames. */
  message: string;
  /** Frames of the component's code. */
  own: Frame[];
  /** The other frames, as they are written. */
  others: string[];
};

const FRAME = /^\s+at\s/;
const OWN = /(?:^|[\s(/])component\.[cm]?[jt]s:(\d+):\d+\)?$/;

/** The parts of an error with a stack; undefined for any other text. */
export function failureOf(text: string): Failure | undefined {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => FRAME.test(line));
  if (first < 1) return undefined;
  const failure: Failure = { message: lines.slice(0, first).join('\n'), own: [], others: [] };
  for (const line of lines.slice(first)) {
    const own = OWN.exec(line);
    if (own) failure.own.push({ place: line.trim().replace(/^at\s+/, ''), line: Number(own[1]) });
    else if (line.trim() !== '') failure.others.push(line.trim());
  }
  return failure;
}
