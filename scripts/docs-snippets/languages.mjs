// How to run a snippet of each language: the programs that it needs, its file and packages, and its command.

import { execFile, execFileSync } from "node:child_process";
import { cp, mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const STAND_INS = join(dirname(fileURLToPath(import.meta.url)), "stand-ins");
/** Kept, so that libraries are compiled once. */
const RUST_TARGET = join(resolve(process.env.CARGO_TARGET_DIR ?? join(STAND_INS, "../../../target")), "docs-snippets");
const execute = promisify(execFile);
const STAND_IN = "with a stand-in of the library, which cannot be fetched here";

export function isInstalled(program) {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function run(folder, program, args, seconds = 300) {
  return execute(program, args, { cwd: folder, timeout: seconds * 1000, maxBuffer: 1 << 26 });
}

/** Tries to fetch a library. Returns a note if a stand-in is used. */
async function fetchOr(standIn, fetch) {
  try {
    await fetch();
    return undefined;
  } catch {
    await standIn();
    return STAND_IN;
  }
}

const node = { programs: ["node", "npm"], file: "receiver.mjs", command: () => ["node", ["receiver.mjs"]] };
const python = { programs: ["python3"], file: "receiver.py", command: () => ["python3", ["receiver.py"]] };

export const LANGUAGES = {
  node,
  "node-library": {
    ...node,
    prepare: async (folder) => {
      await run(folder, "npm", ["install", "--no-audit", "--no-fund", "standardwebhooks"]);
    },
  },
  python,
  "python-library": {
    ...python,
    prepare: async (folder) => {
      await run(folder, "python3", ["-m", "pip", "install", "--quiet", "--target", "packages", "standardwebhooks"]);
    },
    environment: (folder) => ({ PYTHONPATH: join(folder, "packages") }),
  },
  go: {
    programs: ["go"],
    file: "main.go",
    prepare: async (folder) => {
      const library = "github.com/standard-webhooks/standard-webhooks/libraries";
      await run(folder, "go", ["mod", "init", "receiver"]);
      const note = await fetchOr(
        async () => {
          await run(folder, "go", ["mod", "edit", `-replace=${library}=${join(STAND_INS, "go")}`]);
          await run(folder, "go", ["mod", "edit", `-require=${library}@v0.0.0`]);
        },
        () => run(folder, "go", ["get", library], 60),
      );
      await run(folder, "go", ["build", "-o", "receiver", "."]);
      return note;
    },
    command: (folder) => [join(folder, "receiver"), []],
  },
  rust: {
    programs: ["cargo"],
    slow: true,
    file: "src/main.rs",
    prepare: async (folder) => {
      await run(folder, "cargo", ["init", "--quiet", "--name", "receiver", "--vcs", "none"]);
      await run(folder, "cargo", ["add", "--quiet", "standardwebhooks", "axum"]);
      await run(folder, "cargo", ["add", "--quiet", "tokio", "--features", "full"]);
      await run(folder, "cargo", ["build", "--quiet", "--target-dir", RUST_TARGET], 900);
    },
    command: () => [join(RUST_TARGET, "debug/receiver"), []],
  },
  ruby: {
    programs: ["ruby", "gem"],
    file: "receiver.rb",
    prepare: (folder) =>
      fetchOr(
        async () => {
          await run(folder, "ruby", ["-e", 'require "webrick"']);
          await cp(join(STAND_INS, "ruby"), join(folder, "library"), { recursive: true });
        },
        () => run(folder, "gem", ["install", "--install-dir", "gems", "standardwebhooks", "webrick"], 60),
      ),
    environment: (folder) => ({ GEM_HOME: join(folder, "gems"), RUBYLIB: join(folder, "library") }),
    command: () => ["ruby", ["receiver.rb"]],
  },
  php: {
    programs: ["php"],
    file: "receiver.php",
    prepare: (folder) =>
      fetchOr(
        async () => {
          await mkdir(join(folder, "vendor"), { recursive: true });
          await cp(join(STAND_INS, "php/autoload.php"), join(folder, "vendor/autoload.php"));
        },
        () => run(folder, "composer", ["require", "--quiet", "standard-webhooks/standard-webhooks"], 60),
      ),
    command: (_, port) => ["php", ["-S", `127.0.0.1:${port}`, "receiver.php"]],
  },
};
