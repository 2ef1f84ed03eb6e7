// The official client signs in by OAuth: it finds the server's metadata, registers itself, and exchanges a code. Standard input has
// the address, and what the user answers with.

import { text } from "node:stream/consumers";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Agent } from "./agent.mjs";

const agent = new Agent(JSON.parse(await text(process.stdin)));
const refused = await agent.connect().catch((error) => error instanceof UnauthorizedError);
const asked = agent.asked();
const returned = await agent.answer();

const results = { refused, authorization: agent.provider.authorization.pathname, asked, returned };
if (returned.code) {
  await agent.transport().finishAuth(returned.code);
  const client = await agent.connect();
  results.tools = (await client.listTools()).tools.map(({ name }) => name);
  await client.close();
  results.tokens = agent.provider.issued;
  results.again = await agent
    .transport()
    .finishAuth(returned.code)
    .then(
      () => "accepted",
      (error) => error.constructor.name,
    );
}
console.log(JSON.stringify(results));
