#!/usr/bin/env node
// Stands in for the `sluice` binary where the testkit tests itself: the command line, the log line that announces
// the address, /healthz, POST /v1/users, and SIGTERM. `--broken` ends it before it listens.

import { createServer } from "node:http";

const args = process.argv.slice(2);
const argumentOf = (flag) => args[args.indexOf(flag) + 1];
const log = (message) => console.error(JSON.stringify({ fields: { message } }));

if (args.includes("--broken")) {
  log("cannot open the database");
  process.exit(1);
}

const routes = {
  "GET /healthz": () => ({}),
  "GET /v1/environment": () => ({ data: process.env }),
  "POST /v1/users": (body) => ({ data: { ...body, api_key: "f".repeat(32) } }),
  "GET /v1/authorization": (_body, headers) => ({ data: headers.authorization }),
};

const server = createServer(async (request, response) => {
  let text = "";
  for await (const chunk of request) text += chunk;
  const route = routes[`${request.method} ${request.url}`];
  const answer = route?.(text ? JSON.parse(text) : null, request.headers);
  response.writeHead(answer ? 200 : 404, { "content-type": "application/json" });
  response.end(JSON.stringify(answer ?? { error: "not found" }));
});

const [host, port] = argumentOf("--listen").split(":");
server.listen(Number(port), host, () => log(`listening on http://${host}:${server.address().port}`));
process.on("SIGTERM", () => process.exit(0));
