// Writes the package.json files of the npm packages.
//
//   node scripts/dist/npm-manifests.mjs FOLDER VERSION DENO_VERSION CPU DENO_PLATFORM CPUS
//
// CPUS are those of the release, for which packages exist: `x64 arm64`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [folder, version, denoVersion, cpu, denoPlatform, cpus] = process.argv.slice(2);

const common = {
  version,
  description: "A self-hosted server for event sources",
  license: "Apache-2.0",
};
const main = {
  name: "sluice",
  ...common,
  bin: { sluice: "sluice.cjs" },
  files: ["sluice.cjs"],
  engines: { node: ">=18" },
  // npm installs the one whose `os` and `cpu` fit.
  optionalDependencies: Object.fromEntries(cpus.split(" ").map((it) => [`@sluice/linux-${it}`, version])),
};
const platform = {
  name: `@sluice/linux-${cpu}`,
  ...common,
  os: ["linux"],
  cpu: [cpu],
  libc: ["glibc"],
  files: ["sluice", "share", "THIRD_PARTY_LICENSES", "sbom.cdx.json"],
  // The binary finds it in a node_modules folder beside or above it.
  dependencies: { [`@deno/${denoPlatform}`]: denoVersion },
};

const write = (name, manifest) =>
  writeFileSync(join(folder, name, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
const types = { ...JSON.parse(readFileSync("packages/types/package.json", "utf8")), version };
write("types", types);
write("main", main);
write("platform", platform);
