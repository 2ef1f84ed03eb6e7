// The health check of the image, against servers with and without TLS.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

const CHECK = join(import.meta.dirname, "../../packaging/docker/healthcheck");

let folder;
let files;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-healthcheck-"));
  files = { key: join(folder, "key.pem"), cert: join(folder, "cert.pem") };
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const subject = ["-subj", "/CN=sluice.example.com", "-days", "2"];
  const output = ["-keyout", files.key, "-out", files.cert];
  execFileSync("openssl", ["req", "-x509", ...curve, ...subject, ...output], { stdio: "ignore" });
});
after(() => rmSync(folder, { recursive: true }));

/** Runs the check as the image does. Returns its exit code. */
async function check(port, environment = {}) {
  const env = { PATH: process.env.PATH, SLUICE_LISTEN: `0.0.0.0:${port}`, ...environment };
  const child = spawn(CHECK, [], { env, stdio: "ignore" });
  const [code] = await once(child, "exit");
  return code;
}

/** Runs `run` with the port of a server that answers /readyz with `status`. */
async function withServer(server, status, run) {
  server.on("request", (request, response) => {
    response.writeHead(request.url === "/readyz" ? status : 404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await run(server.address().port);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const withTls = () => createTlsServer({ key: readFileSync(files.key), cert: readFileSync(files.cert) });

test("a server without TLS is healthy if it is ready", async () => {
  await withServer(createServer(), 200, async (port) => assert.equal(await check(port), 0));
  await withServer(createServer(), 503, async (port) => assert.notEqual(await check(port), 0));
});

test("a server with TLS is healthy if it is ready, whatever the name in its certificate", async () => {
  const environment = { SLUICE_TLS_CERT: files.cert };
  await withServer(withTls(), 200, async (port) => assert.equal(await check(port, environment), 0));
  await withServer(withTls(), 503, async (port) => assert.notEqual(await check(port, environment), 0));
});

test("without a server the check fails", async () => {
  let free;
  await withServer(createServer(), 200, (port) => {
    free = port;
  });
  assert.notEqual(await check(free), 0);
  assert.notEqual(await check(free, { SLUICE_TLS_CERT: files.cert }), 0);
});
