// How errors of a component look outside: its own lines, by its own file names.

const HARNESS = new URL(".", import.meta.url).href;
// A frame of the runtime's own: `at file (ext:…)`, `at node:…`.
const RUNTIME_FRAME = /^\s*at (?:.*\()?(?:ext|node):/;
let componentFolder = "";

export function setComponentFolder(url) {
  componentFolder = url;
}

/** `{name, message, stack, code?, line?, column?}` of anything that was thrown, even of what resists being read. */
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
  const place = /\bcomponent\.[cm]?[jt]s:(\d+):(\d+)/.exec(told.stack);
  if (place) {
    told.line = Number(place[1]);
    told.column = Number(place[2]);
  }
  return told;
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
