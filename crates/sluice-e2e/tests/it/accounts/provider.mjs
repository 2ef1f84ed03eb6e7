// A real OAuth 2 provider on loopback, with what the tests need to see and to break.
// Prints its address; clients register themselves, with a lifetime of their own for access tokens.

import { createServer } from "node:http";
import Provider from "oidc-provider";

const server = createServer();
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const issuer = `http://127.0.0.1:${server.address().port}`;

/** How often each client has asked for tokens, and how its requests for them are to fail. */
const asked = new Map();
const outages = new Map();

const provider = new Provider(issuer, {
  clientBasedCORS: () => false,
  cookies: { keys: ["a key for tests"] },
  extraClientMetadata: { properties: ["access_token_lifetime"] },
  features: {
    devInteractions: { enabled: true },
    registration: { enabled: true },
    revocation: { enabled: true, allowedPolicy: () => true },
  },
  claims: { openid: ["sub"], email: ["email", "email_verified"] },
  findAccount: (_ctx, sub) => ({
    accountId: sub,
    claims: () => ({ sub, email: `${sub}@example.com`, email_verified: !sub.startsWith("unverified") }),
  }),
  // Whoever sends no PKCE challenge is refused.
  pkce: { required: () => true },
  rotateRefreshToken: true,
  scopes: ["openid", "offline_access", "email"],
  ttl: { AccessToken: (_ctx, _token, client) => client.access_token_lifetime ?? 3600 },
});

provider.use(async (ctx, next) => {
  if (ctx.path === "/token") {
    const client = clientOf(ctx.req);
    asked.set(client, (asked.get(client) ?? 0) + 1);
    if (outages.get(client)) {
      ctx.status = outages.get(client);
      ctx.body = "out of order";
      return;
    }
  }
  await next();
});

const serve = provider.callback();
server.on("request", (request, response) => {
  const { pathname, searchParams } = new URL(request.url, issuer);
  const client = searchParams.get("client");
  switch (pathname) {
    case "/test/asked":
      response.end(String(asked.get(client) ?? 0));
      break;
    case "/test/outage":
      outages.set(client, Number(searchParams.get("status")));
      response.end("ok");
      break;
    default:
      serve(request, response);
  }
});

// The one thing on standard output; it ends with whoever started it.
process.stdout.write(`${issuer}\n`);
process.stdin.on("end", () => process.exit(0)).resume();

function clientOf(request) {
  const [scheme, credentials] = (request.headers.authorization ?? "").split(" ");
  if (scheme !== "Basic") return undefined;
  const [id] = Buffer.from(credentials, "base64").toString().split(":");
  return decodeURIComponent(id);
}
