// Installs and runs each package of `make dist`, each in namespaces of its own. Needs root: `make dist-test`.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { filesIn, isNewer, newestGlibc, read, sections } from "./tree.mjs";

const packages = process.env.SLUICE_PACKAGES;
const here = import.meta.dirname;
const checkout = join(here, "../../..");
const cpu = process.arch;
/** The acceptance limit from the tarball to the first event. */
const A_MINUTE = 60_000;

let work;
before(() => {
  // Not below /tmp, which is another one inside.
  work = mkdtempSync("/var/tmp/sluice-packages-");
  chmodSync(work, 0o755);
});
after(() => rmSync(work, { recursive: true }));

function run(command, ...words) {
  return execFileSync(command, words, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], cwd: work });
}

const package_ = (pattern) => {
  const found = readdirSync(packages).filter((name) => pattern.test(name));
  assert.equal(found.length, 1, `one file in ${packages} matches ${pattern}`);
  return join(packages, found[0]);
};

/** A folder with packages, and the scripts that run inside. */
function folder(name, ...files) {
  const path = join(work, name);
  mkdirSync(path, { recursive: true });
  for (const file of files) cpSync(file, join(path, file.split("/").at(-1)));
  return path;
}

/** Runs a script on this machine's system, of which it sees a copy that is thrown away. */
function onThisSystem({ packages, script, words = [], network = [] }) {
  return run(join(here, "in-root"), ...network, "overlay", packages, "bash", "-c", INSIDE, script, ...words);
}
// The scripts of the checkout may be in a folder that the copy does not have.
const INSIDE = 'mkdir /inside && cp /packages/inside/* /inside && exec "/inside/$0" "$@"';

function withScripts(path) {
  cpSync(join(here, "inside"), join(path, "inside"), { recursive: true });
  return path;
}

function milliseconds(output) {
  const found = output.match(/milliseconds to the first event: (\d+)/);
  assert.ok(found, output);
  return Number(found[1]);
}

const tarballOf = (cpu) => package_(new RegExp(`^sluice-.*-linux-${cpu}\\.tar\\.gz$`));
const tarball = () => tarballOf(cpu);
/** The processors that there are packages for. Those of another one were cross-compiled, and do not run here. */
const cpus = ["x64", "arm64"].filter((it) =>
  readdirSync(packages).some((name) => name.endsWith(`-linux-${it}.tar.gz`)),
);
const DEB_ARCH = { x64: "amd64", arm64: "arm64" };
const debOf = (cpu) => package_(new RegExp(`^sluice_.*_${DEB_ARCH[cpu]}\\.deb$`));
const VERSION = /^sluice \d+\.\d+\.\d+ \([0-9a-f]{8}(-dirty)?, \d{4}-\d\d-\d\d\)$/m;
const EMULATOR = { x64: "qemu-x86_64-static", arm64: "qemu-aarch64-static" };
const LIBRARIES = { x64: "/usr/x86_64-linux-gnu", arm64: "/usr/aarch64-linux-gnu" };

function isInstalled(command) {
  return (process.env.PATH ?? "").split(":").some((folder) => existsSync(join(folder, command)));
}

test("there is a tarball for this machine", () => assert.ok(cpus.includes(cpu), cpus.join()));

for (const target of cpus) describe(`the content of the tarball for ${target}`, () => contentOf(target));

function contentOf(target) {
  const FILES = [
    "CHANGELOG.md",
    "LICENSE",
    "SHA256SUMS",
    "THIRD_PARTY_LICENSES",
    "deno",
    "healthcheck",
    "sbom.cdx.json",
  ];
  const OTHERS = ["sluice", "sluice.env", "sluice.service"];
  const SHARE = ["_sluice", "sluice.bash", "sluice.fish"].map((it) => `share/completions/${it}`);
  const MONITORING = ["alerts.test.yml", "alerts.yml", "dashboard.json"].map((it) => `share/monitoring/${it}`);
  const MAN = "share/man/man1/";
  /** The pages about commands, which have the names of manual pages. */
  const commands = readdirSync(join(checkout, "docs/cli"))
    .filter((it) => it !== "README.md")
    .map((it) => it.replace(".md", ""));
  let tree;
  before(() => {
    const path = join(work, `content-${target}`);
    mkdirSync(path);
    run("tar", "--extract", "--gzip", "--directory", path, "--file", tarballOf(target));
    const [name, ...more] = readdirSync(path);
    assert.deepEqual(more, [], "the tarball has one folder");
    assert.equal(`${name}.tar.gz`, tarballOf(target).split("/").at(-1));
    tree = join(path, name);
  });

  test("it has these files and no others", () => {
    const others = filesIn(tree).filter((it) => !it.startsWith(MAN));
    assert.deepEqual(others, [...FILES, ...OTHERS, ...SHARE, ...MONITORING].sort());
    const members = run("tar", "--list", "--verbose", "--gzip", "--file", tarballOf(target)).trim().split("\n");
    const isExpected = (line) => /^(drwxr-xr-x|-rwxr-xr-x|-rw-r--r--) 0\/0 /.test(line);
    assert.deepEqual(
      members.filter((line) => !isExpected(line)),
      [],
      "modes and owners",
    );
  });

  test("its checksums are right and cover every file", () => {
    execFileSync("sha256sum", ["--check", "--strict", "--quiet", "SHA256SUMS"], { cwd: tree });
    const listed = read(tree, "SHA256SUMS").trim().split("\n");
    const names = listed.map((line) => line.split("  ./")[1]).sort();
    assert.deepEqual(
      names,
      filesIn(tree).filter((it) => it !== "SHA256SUMS"),
    );
  });

  test("the binary is stripped, and needs no later glibc than the documentation says", () => {
    const found = sections(join(tree, "sluice"));
    assert.ok(found.includes(".text"), "readelf lists sections");
    assert.deepEqual(
      found.filter((it) => [".symtab", ".debug_info", ".debug_line", ".debug_str"].includes(it)),
      [],
    );
    const [, documented] = /glibc (\d+\.\d+) or later/.exec(read(checkout, "docs/guide/installation.md"));
    const needed = newestGlibc(join(tree, "sluice"), join(tree, "deno"));
    assert.ok(!isNewer(needed, documented), `glibc ${needed}, documented is ${documented}`);
  });

  const emulator = target === cpu ? [] : [EMULATOR[target], "-L", LIBRARIES[target]];
  const skip = emulator.length > 0 && !isInstalled(emulator[0]) ? `without ${emulator[0]}` : false;
  test("the binary says its version and writes its help", { skip }, () => {
    const [program, ...words] = [...emulator, join(tree, "sluice")];
    assert.match(run(program, ...words, "--version"), VERSION);
    assert.match(run(program, ...words, "serve", "--help"), /--listen/);
  });

  test("the Debian package is for this processor", () => {
    assert.equal(run("dpkg-deb", "--field", debOf(target), "Architecture").trim(), DEB_ARCH[target]);
  });

  test("the SBOM is CycloneDX, and lists crates and npm packages with versions and licences", () => {
    const sbom = JSON.parse(read(tree, "sbom.cdx.json"));
    assert.deepEqual([sbom.bomFormat, sbom.specVersion, sbom.version], ["CycloneDX", "1.5", 1]);
    assert.ok(sbom.metadata.timestamp && sbom.metadata.component.version);
    const { components } = sbom;
    for (const it of components) {
      assert.match(it.purl, /^pkg:(cargo|npm)\/[^?]+@\d[^?]*$/, "without a path of the machine");
      assert.ok(["library", "application"].includes(it.type) && it.name && it.version, it.purl);
      assert.equal(it["bom-ref"], it.purl);
      for (const { alg, content } of it.hashes ?? [])
        assert.match(`${alg} ${content}`, /^SHA-(256|384|512) [0-9a-f]+$/);
    }
    assert.equal(new Set(components.map(({ purl }) => purl)).size, components.length, "each once");
    for (const name of ["tokio", "rustls", "deno", "vue", "svelte"]) {
      assert.ok(
        components.some((it) => it.name === name),
        name,
      );
    }
  });

  test("the licences name every component, and have texts", () => {
    const text = read(tree, "THIRD_PARTY_LICENSES");
    const { components } = JSON.parse(read(tree, "sbom.cdx.json"));
    const missing = components.filter(({ name, version }) => !text.includes(`\n${name} ${version}: `));
    assert.deepEqual(
      missing.map(({ purl }) => purl),
      [],
    );
    for (const part of ["Permission is hereby granted", "Apache License", "=".repeat(100)])
      assert.ok(text.includes(part));
  });

  test("shells complete every command, and each has a manual page", () => {
    for (const file of SHARE) {
      const text = read(tree, file);
      const missing = commands.filter((it) => !text.includes(it));
      assert.deepEqual(missing, [], file);
    }
    execFileSync("bash", ["-n", join(tree, SHARE[1])]);
    const pages = filesIn(join(tree, MAN));
    for (const name of ["sluice.1", ...commands.map((it) => `sluice-${it}.1`)]) {
      assert.ok(pages.includes(name), name);
      assert.match(read(tree, MAN, name), /^\.SH NAME$/m, name);
    }
  });
}

describe("packages", () => {
  test("the checksums are right", () => {
    execFileSync("sha256sum", ["--check", "--strict", "--quiet", "SHA256SUMS"], { cwd: packages });
  });

  test("the tarball leads to a first event in under a minute, on a machine with a shell and nothing else", (t) => {
    const root = join(work, "minimal");
    run(join(here, "minimal-root"), root);
    mkdirSync(join(root, "packages"));
    cpSync(tarball(), join(root, "packages/sluice.tar.gz"));
    withScripts(root);
    const output = run(join(here, "in-root"), "minimal", root, "/inside/tarball");
    const taken = milliseconds(output);
    t.diagnostic(output);
    assert.match(output, /^installed for all users: sluice \d/m);
    assert.match(output, VERSION);
    assert.ok(taken < A_MINUTE, `${taken} ms`);
  });

  test("the Debian package installs a service, keeps its settings, and is removed and purged", (t) => {
    const output = onThisSystem({ packages: withScripts(folder("deb", debOf(cpu))), script: "deb" });
    t.diagnostic(output);
    assert.ok(milliseconds(output) < A_MINUTE);
    assert.match(output, /^purged$/m);
  });

  test("the types are a package of their own, with the version of the program", () => {
    const path = folder("types", package_(/^sluice-types-.*\.tgz$/));
    run("tar", "--extract", "--gzip", "--directory", path, "--file", package_(/^sluice-types-.*\.tgz$/));
    const { name, version } = JSON.parse(readFileSync(join(path, "package/package.json"), "utf8"));
    assert.equal(name, "@sluice/types");
    assert.ok(package_(new RegExp(`^sluice-${version.replaceAll(".", "\\.")}\\.tgz$`)));
    assert.ok(readdirSync(join(path, "package")).includes("index.d.ts"));
  });

  test("`npx sluice` and an installed `sluice` run from the npm packages", (t) => {
    const path = withScripts(
      folder("npm", package_(/^sluice-\d+\.\d+\.\d+\.tgz$/), package_(new RegExp(`^sluice-linux-${cpu}-.*\\.tgz$`))),
    );
    const deno = readdirSync(join(checkout, "node_modules/@deno"))[0];
    run("npm", "pack", "--silent", "--pack-destination", path, join(checkout, "node_modules/@deno", deno));
    const output = onThisSystem({ packages: path, script: "npm", words: [cpu] });
    t.diagnostic(output);
    assert.match(output, /^sluice \d/m);
    assert.ok(milliseconds(output) < A_MINUTE);
    assert.match(output, /^exit code: 2$/m);
    assert.match(output, /^from the files: sluice \d/m);
    assert.match(output, /^installed globally: sluice \d/m);
  });

  test("the steps of the Dockerfile give a server that runs as an ordinary user and is healthy", (t) => {
    const path = withScripts(folder("docker", package_(/\.tar\.gz$/), join(packages, "SHA256SUMS")));
    const dockerfile = join(checkout, "packaging/docker/Dockerfile");
    const steps = join(path, "inside/dockerfile");
    writeFileSync(steps, run("node", join(here, "dockerfile-steps.mjs"), dockerfile), { mode: 0o755 });
    // Its packages come from the network.
    const output = onThisSystem({ packages: path, script: "dockerfile", network: ["host-network"] });
    t.diagnostic(output);
    assert.ok(milliseconds(output) < A_MINUTE);
  });
});
