// Errors of a component as they are reported: with the lines and file names of its author.

const HARNESS = new URL(".", import.meta.url).href;
// A frame of the runtime: `at file (ext:…)`, `at node:…`.
const RUNTIME_FRAME = /^\s*at (?:.*\()?(?:ext|node):/;
// A frame in a source file of a component, by its URL or its path in the tree.
const FRAME_ELSEWHERE = /^\s*at (?:.*\()?(https?:\/\/.+|(?!node_modules\/)[^\s():]+\.[cm]?[jt]s):(\d+):(\d+)\)?$/;
const modules = [];
/** A position in the first file of a module. */
let place = /(?!)/;

/** The files of a module are in this folder and have its name. Built files are called `component`. */
export function nameModule(name, folder) {
  const isFile = folder.startsWith("file://");
  modules.push({ name, paths: isFile ? [folder, folder.slice("file://".length)] : [folder] });
  const names = modules.map((module) => module.name).join("|");
  place = new RegExp(`(?<![\\w/.-])(?:${names})\\.[cm]?[jt]s:(\\d+):(\\d+)`);
}

/**
 * `{name, message, stack, code?, line?, column?}` of any thrown value, even one whose properties cannot be read, with `file`
 * if the position is not in the component's first file.
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
  for (const frame of stack.split("\n")) {
    const own = place.exec(frame);
    if (own) return { line: Number(own[1]), column: Number(own[2]) };
    const elsewhere = FRAME_ELSEWHERE.exec(frame);
    if (elsewhere) return { file: elsewhere[1], line: Number(elsewhere[2]), column: Number(elsewhere[3]) };
  }
  return {};
}

/** A stack with the file names of the author and without frames of the harness. */
export function ownLines(stack) {
  if (modules.length === 0) return stack;
  let told = stack;
  for (const { name, paths } of modules) {
    for (const path of paths) {
      told = told.replaceAll(`${path}component.`, `${name}.`).replaceAll(path, "");
    }
  }
  return told
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
