// An npm registry of the tarballs in a folder.
//
//   node npm-registry.mjs FOLDER PORT
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const [folder, port] = process.argv.slice(2);
const files = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
const packages = new Map(files.map((file) => describe(file)));

function describe(file) {
  const path = join(folder, file);
  const manifest = JSON.parse(execFileSync("tar", ["-xzOf", path, "package/package.json"], { encoding: "utf8" }));
  const integrity = `sha512-${createHash("sha512").update(readFileSync(path)).digest("base64")}`;
  const dist = { tarball: `http://127.0.0.1:${port}/-/${file}`, integrity };
  const { name, version } = manifest;
  return [name, { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } }];
}

const server = createServer((request, response) => {
  const path = decodeURIComponent(request.url.slice(1));
  const file = path.replace(/^-\//, "");
  if (files.includes(file)) return response.end(readFileSync(join(folder, file)));
  const found = packages.get(path);
  response.writeHead(found ? 200 : 404, { "content-type": "application/json" });
  response.end(JSON.stringify(found ?? { error: "not found" }));
});
server.listen(Number(port), "127.0.0.1");
