// Errors of a component as they are reported: with the lines and file names of its author.

const HARNESS = new URL(".", import.meta.url).href;
// A frame of the runtime: `at file (ext:…)`, `at node:…`.
const RUNTIME_FRAME = /^\s*at (?:.*\()?(?:ext|node):/;
// A frame in a source file of a component, by its URL or its path in the tree.
const FRAME_ELSEWHERE = /^\s*at (?:.*\()?(https?:\/\/.+|(?!node_modules\/)[^\s():]+\.[cm]?[jt]s):(\d+):(\d+)\)?$/;
// Deno names a flag of its own when it refuses a connection to a private address.
const DENO_FLAG = ", run again with the --allow-net flag";
const OWN_FLAG = ": the operator of the server can allow this address with --allow-network";

/** The names of a tenant's files in errors. */
export class FileNames {
  /** Texts in stacks, each with the text that replaces it. */
  #renames = [];
  #entries = [];
  /** Evaluated files: a pattern of a position in one, and the number of columns by which its first line is shifted. */
  #evaluated = [];
  /** A position in the entry of a module. */
  #place = /(?!)/;

  /**
   * Names the files of a module. They are below `files`, a URL. `entry` is the location of the first one, and `locations` has
   * those of files with other paths, by path.
   */
  nameFiles({ files, file, entry, locations = {} }) {
    this.nameFolder(files, { ...locations, [file.slice(files.length)]: entry });
    this.#entries.push(entry);
    this.#place = new RegExp(`(?<![\\w/.-])(?:${this.#entries.map(escapeRegExp).join("|")}):(\\d+):(\\d+)`);
  }

  /** Names files of a folder by their paths in it, or as `locations` says by these paths. */
  nameFolder(url, locations = {}) {
    for (const folder of [url, url.replace("file://", "")]) {
      for (const path of Object.keys(locations)) this.#renames.push([`${folder}${path}:`, `${locations[path]}:`]);
      this.#renames.push([folder, ""]);
    }
  }

  /** The file at a URL was evaluated, with `columns` more in its first line. */
  nameEvaluated(url, columns) {
    this.#evaluated.push([new RegExp(`${escapeRegExp(url)}, <anonymous>:(\\d+):(\\d+)`, "g"), url, columns]);
  }

  /** Whether a text names one of the files. */
  areIn(text) {
    return this.#renames.some(([name]) => text.includes(name));
  }

  /**
   * `{name, message, stack, code?, prop?, line?, column?}` of any thrown value, even one whose properties cannot be read, with `file`
   * if the position is not in the component's first file.
   */
  describeError(thrown) {
    try {
      return this.#description(thrown);
    } catch {
      return { name: "Error", message: "[unprintable]", stack: "" };
    }
  }

  #description(thrown) {
    if (!isErrorLike(thrown)) {
      return { name: "Error", message: printable(thrown), stack: "" };
    }
    const told = {
      name: printable(thrown.name || "Error"),
      message: withOwnFlag(printable(thrown.message ?? "")),
      stack: this.ownLines(printable(thrown.stack ?? "")),
    };
    if (typeof thrown.code === "string") told.code = thrown.code;
    if (told.name === "ExpressionError" && typeof thrown.prop === "string") told.prop = thrown.prop;
    return { ...told, ...this.#placeIn(told.stack) };
  }

  #placeIn(stack) {
    for (const frame of stack.split("\n")) {
      const own = this.#place.exec(frame);
      if (own) return { line: Number(own[1]), column: Number(own[2]) };
      const elsewhere = FRAME_ELSEWHERE.exec(frame);
      if (elsewhere) return { file: elsewhere[1], line: Number(elsewhere[2]), column: Number(elsewhere[3]) };
    }
    return {};
  }

  /** A stack with the file names of the author and without frames of the harness. */
  ownLines(stack) {
    let told = withOwnFlag(stack);
    if (this.#renames.length === 0) return told;
    for (const [position, url, columns] of this.#evaluated) {
      told = told.replace(position, (_, line, column) => `${url}:${line}:${line === "1" ? column - columns : column}`);
    }
    for (const [text, name] of this.#renames) told = told.replaceAll(text, name);
    return told
      .split("\n")
      .filter((line) => !line.includes(HARNESS) && !RUNTIME_FRAME.test(line))
      .join("\n");
  }
}

function withOwnFlag(text) {
  return text.replaceAll(DENO_FLAG, OWN_FLAG);
}

function escapeRegExp(text) {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
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
