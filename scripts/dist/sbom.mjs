// Adds the npm packages to the list of crates, in a fixed order and with the date of the commit.
//
//   node scripts/dist/sbom.mjs CRATES.json VERSION
import { readFileSync } from "node:fs";
import { npmComponents } from "./npm-components.mjs";

const [crates, version] = process.argv.slice(2);
const read = (file) => JSON.parse(readFileSync(file, "utf8"));

/** Paths of this machine, and fields that differ from run to run, are left out. */
function crate({ type, name, version, licenses, purl, hashes, externalReferences }) {
  return { type, "bom-ref": purl, name, version, hashes, licenses, purl, externalReferences };
}

/** A crate of this repository has a path in its address. It ships as part of Sluice. */
const isOwn = ({ purl }) => purl.includes("download_url=file:");

const components = [
  ...read(crates)
    .components.filter((it) => !isOwn(it))
    .map(crate),
  ...npmComponents(),
];
components.sort((one, other) => (one.purl < other.purl ? -1 : 1));

const document = {
  bomFormat: "CycloneDX",
  specVersion: "1.5",
  version: 1,
  metadata: {
    timestamp: new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000).toISOString(),
    component: {
      type: "application",
      "bom-ref": "sluice",
      name: "sluice",
      version,
      licenses: [{ license: { id: "Apache-2.0" } }],
    },
  },
  components,
};
process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
