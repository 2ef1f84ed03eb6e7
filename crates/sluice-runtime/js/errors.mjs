// How errors of a component look outside: its own lines, by its own file names.

const HARNESS = new URL(".", import.meta.url).href;
// A frame of the runtime's own: `at file (ext:…)`, `at node:…`.
const RUNTIME_FRAME = /^\s*at (?:.*\()?(?:ext|node):/;
// A place in the component's first file, and a frame in one of the files beside it, which have addresses.
const PLACE = /\bcomponent\.[cm]?[jt]s:(\d+):(\d+)/;
const FRAME_ELSEWHERE = /^\s*at (?:.*\()?(https?:\/\/.+):(\d+):(\d+)\)?$/m;
let componentFolder = "";

export function setComponentFolder(url) {
  componentFolder = url;
}

/**
 * `{name, message, stack, code?, line?, column?}` of anything that was thrown, even of what resists being read, with
 * `file` when the place is not in the component's first file.
 */
export function describeError(thrown) {
  try {
    return description(thrown);
  } catch {
    return { name: "Error", message: "[unprintable]", stack: "" };
  }
}

function description(thrown) {
  if (!isErrorLike(thrown)) {
    return { name: "Error", message: printable(thrown), stack: "" };
  }
  const told = {
    name: printable(thrown.name || "Error"),
    message: printable(thrown.message ?? ""),
    stack: ownLines(printable(thrown.stack ?? "")),
  };
  if (typeof thrown.code === "string") told.code = thrown.code;
  return { ...told, ...placeIn(told.stack) };
}

function placeIn(stack) {
  const place = PLACE.exec(stack);
  const elsewhere = FRAME_ELSEWHERE.exec(stack);
  if (elsewhere && (!place || elsewhere.index < place.index)) {
    const [, file, line, column] = elsewhere;
    return { file, line: Number(line), column: Number(column) };
  }
  return place ? { line: Number(place[1]), column: Number(place[2]) } : {};
}

/** A stack with the component's files named as its author knows them, and without our frames. */
export function ownLines(stack) {
  if (componentFolder === "") return stack;
  return stack
    .replaceAll(componentFolder, "")
    .replaceAll(componentFolder.slice("file://".length), "")
    .split("\n")
    .filter((line) => !line.includes(HARNESS) && !RUNTIME_FRAME.test(line))
    .join("\n");
}

function isErrorLike(thrown) {
  return typeof thrown === "object" && thrown !== null && ("stack" in thrown || "message" in thrown);
}

function printable(value) {
  try {
    return String(typeof value === "object" && value !== null ? JSON.stringify(value) : value).toWellFormed();
  } catch {
    return "[unprintable]";
  }
}
