// The list of cycles that are accepted, which can only shrink.

export function readKnown(text) {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split(" ").sort());
}

export function writeKnown(cycles) {
  const lines = cycles.map((cycle) => `${cycle.join(" ")}\n`);
  return `# Import cycles that are still accepted, one in each line. See check-cycles.mjs.\n${lines.join("")}`;
}

const isPartOf = (cycle, other) => cycle.every((file) => other.includes(file));
const isSame = (cycle, other) => cycle.length === other.length && isPartOf(cycle, other);

/** `added` are cycles beyond the known ones, `solved` are known ones that are gone or have lost files. */
export function compare(cycles, known) {
  return {
    added: cycles.filter((cycle) => !known.some((other) => isPartOf(cycle, other))),
    solved: known.filter((other) => !cycles.some((cycle) => isSame(cycle, other))),
  };
}

/** The cycles that remain of the known ones. */
export function shrunk(cycles, known) {
  return cycles.filter((cycle) => known.some((other) => isPartOf(cycle, other)));
}
