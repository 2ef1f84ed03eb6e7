// Stack traces, with the frames of the component apart.

export type Frame = { place: string; line: number };
export type Stack = {
  /** Everything above the frames. */
  message: string;
  /** Frames in the code of the component. */
  own: Frame[];
  /** The other frames, unchanged. */
  others: string[];
};

const FRAME = /^\s+at\s/;
const OWN = /(?:^|[\s(/])component\.[cm]?[jt]s:(\d+):\d+\)?$/;

/** The parts of an error with a stack trace; undefined for any other text. */
export function stackOf(text: string): Stack | undefined {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => FRAME.test(line));
  if (first < 1) return undefined;
  const stack: Stack = { message: lines.slice(0, first).join('\n'), own: [], others: [] };
  for (const line of lines.slice(first)) {
    const own = OWN.exec(line.trimEnd());
    if (own) stack.own.push({ place: line.trim().replace(/^at\s+/, ''), line: Number(own[1]) });
    else if (line.trim() !== '') stack.others.push(line.trim());
  }
  return stack;
}
