// The official client signs in by OAuth: it finds the server's metadata, registers itself, and exchanges a code. Standard input has
// the address, and what the user answers with.

import { text } from "node:stream/consumers";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { url, key, scopes } = JSON.parse(await text(process.stdin));

/** What the client remembers, and where it sends its user. */
class Provider {
  redirectUrl = "http://127.0.0.1:9/callback";
  clientMetadata = { client_name: "Test agent", redirect_uris: ["http://127.0.0.1:9/callback"] };
  clientInformation = () => this.client;
  saveClientInformation = (client) => {
    this.client = client;
  };
  tokens = () => this.issued;
  saveTokens = (tokens) => {
    this.issued = tokens;
  };
  codeVerifier = () => this.verifier;
  saveCodeVerifier = (verifier) => {
    this.verifier = verifier;
  };
  state = () => "state of the client";
  redirectToAuthorization = (address) => {
    this.authorization = address;
  };
}

const authProvider = new Provider();
const connect = async () => {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }));
  return client;
};

const refused = await connect().catch((error) => error instanceof UnauthorizedError);
const asked = Object.fromEntries(authProvider.authorization.searchParams);

// The console of the user.
const answered = await fetch(new URL("/v1/agent_access", url), {
  method: "POST",
  headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  body: JSON.stringify({ ...asked, ...(scopes && { scopes, days: 30 }) }),
});
const { data } = await answered.json();
const returned = Object.fromEntries(new URL(data.redirect_to).searchParams);

const results = { refused, authorization: authProvider.authorization.pathname, asked, returned };
if (returned.code) {
  const transport = () => new StreamableHTTPClientTransport(new URL(url), { authProvider });
  await transport().finishAuth(returned.code);
  const client = await connect();
  results.tools = (await client.listTools()).tools.map(({ name }) => name);
  await client.close();
  results.tokens = authProvider.issued;
  results.again = await transport()
    .finishAuth(returned.code)
    .then(
      () => "accepted",
      (error) => error.constructor.name,
    );
}
console.log(JSON.stringify(results));
