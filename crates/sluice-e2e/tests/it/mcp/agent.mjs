// An application that signs in by OAuth with the official client, and the user who answers it.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const REDIRECT = "http://127.0.0.1:9/callback";

/** What the client remembers, and where it sends its user. */
class Provider {
  redirectUrl = REDIRECT;
  constructor(metadata) {
    this.clientMetadata = { client_name: "Test agent", redirect_uris: [REDIRECT], ...metadata };
  }
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
  invalidateCredentials = () => {
    this.issued = undefined;
  };
}

export class Agent {
  /** `url` is that of `/mcp`, `key` the main key of the user. */
  constructor({ url, key, scopes }, metadata = {}) {
    this.url = new URL(url);
    this.user = { key, scopes };
    this.provider = new Provider(metadata);
  }

  transport() {
    return new StreamableHTTPClientTransport(this.url, { authProvider: this.provider });
  }

  async connect() {
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(this.transport());
    return client;
  }

  /** The parameters of the request for access. */
  asked() {
    return Object.fromEntries(this.provider.authorization.searchParams);
  }

  /** Answers the request as the console of the user does. Returns the parameters with which the browser returns. */
  async answer() {
    const { key, scopes } = this.user;
    const response = await fetch(new URL("/v1/agent_access", this.url), {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ ...this.asked(), ...(scopes && { scopes, days: 30 }) }),
    });
    const { data } = await response.json();
    return Object.fromEntries(new URL(data.redirect_to).searchParams);
  }
}
