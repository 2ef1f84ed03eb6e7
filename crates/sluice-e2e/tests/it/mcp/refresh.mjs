// The official client renews its access, and a stolen refresh token ends it. Then it signs in again and gives the access back.
// Standard input has the address, and what the user answers with.

import { text } from "node:stream/consumers";
import {
  discoverAuthorizationServerMetadata,
  refreshAuthorization,
  UnauthorizedError,
} from "@modelcontextprotocol/sdk/client/auth.js";
import { Agent } from "./agent.mjs";

const input = JSON.parse(await text(process.stdin));
const grant_types = ["authorization_code", "refresh_token"];
const agent = new Agent(input, { grant_types });
const { provider } = agent;
const issuer = new URL("/", input.url);
const metadata = await discoverAuthorizationServerMetadata(issuer);

async function signIn() {
  await agent.connect().catch((error) => {
    if (!(error instanceof UnauthorizedError)) throw error;
  });
  const { code } = await agent.answer();
  await agent.transport().finishAuth(code);
  return provider.issued;
}

async function countTools() {
  const client = await agent.connect();
  const { tools } = await client.listTools();
  await client.close();
  return tools.length;
}

const outcome = (promise) =>
  promise.then(
    () => "accepted",
    (error) => error.constructor.name,
  );
const renew = (refreshToken, clientInformation = provider.client) =>
  refreshAuthorization(issuer, { metadata, clientInformation, refreshToken });
const post = (fields) => fetch(metadata.revocation_endpoint, { method: "POST", body: new URLSearchParams(fields) });

const first = await signIn();
const tools = await countTools();
// An access token that does not work any more is renewed by the client.
provider.issued = { ...first, access_token: "0".repeat(32) };
const toolsLater = await countTools();
const second = provider.issued;
const another = new Agent(input, { grant_types });
await another.connect().catch(() => undefined);
const results = {
  registered: provider.client.grant_types,
  first,
  tools,
  toolsLater,
  second,
  byAnother: await outcome(renew(second.refresh_token, another.provider.client)),
  wider: await fetch(metadata.token_endpoint, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: second.refresh_token,
      client_id: provider.client.client_id,
      scope: "read deploy",
    }),
  }).then((response) => response.json()),
};
// Two requests at a time get the same token.
const twice = await Promise.all([renew(second.refresh_token), renew(second.refresh_token)]);
results.twice = twice.map(({ access_token }) => access_token);
provider.issued = twice[0];
results.toolsAtLast = await countTools();
// The first refresh token was used two renewals ago.
results.stolen = await outcome(renew(first.refresh_token));
results.afterTheft = await outcome(renew(twice[0].refresh_token));
results.ended = twice[0].access_token;

provider.issued = undefined;
const last = await signIn();
const client_id = provider.client.client_id;
results.revocations = [
  (await post({ token: "unknown", client_id })).status,
  (await post({ token: last.access_token, client_id: another.provider.client.client_id })).status,
  (await post({ token: last.access_token })).status,
];
results.toolsBeforeRevocation = await countTools();
results.revocations.push((await post({ token: last.refresh_token, client_id })).status);
results.afterRevocation = await outcome(renew(last.refresh_token));
results.revoked = last.access_token;
console.log(JSON.stringify(results));
