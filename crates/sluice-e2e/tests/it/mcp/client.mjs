// The official client of the Model Context Protocol. Standard input has the way to the server and the requests, as JSON; standard
// output gets their results.

import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { url, key, command, args, env, requests } = JSON.parse(await text(process.stdin));

function transport() {
  if (command) return new StdioClientTransport({ command, args, env });
  const headers = key ? { authorization: `Bearer ${key}` } : {};
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
}

async function outcome(work) {
  try {
    return await work();
  } catch (error) {
    return { error: { code: error.code, message: error.message } };
  }
}

const client = new Client({ name: "test", version: "1.0.0" });
const results = [
  await outcome(async () => {
    await client.connect(transport());
    return { server: client.getServerVersion(), capabilities: client.getServerCapabilities() };
  }),
];
// All at once.
const ask = async ({ tool, arguments: given }) =>
  tool ? client.callTool({ name: tool, arguments: given }) : client.listTools();
results.push(...(await Promise.all(requests.map((request) => outcome(() => ask(request))))));
await outcome(() => client.close());
console.log(JSON.stringify(results));
