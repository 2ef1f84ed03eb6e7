// Compressed forms of the texts of the site. The program contains only these.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const TEXT = /\.(?:html|js|css|svg|json)$/;

/** Writes a file with gzip beside each text in a folder. */
export function compressFiles(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!TEXT.test(name)) continue;
    const file = join(folder, name);
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
  }
}
