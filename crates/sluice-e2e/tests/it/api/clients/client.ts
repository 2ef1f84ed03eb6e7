// Uses the API through openapi-fetch, with the types that openapi-typescript generated: `node client.js URL API_KEY`.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Source = components["schemas"]["Source"];

const CODE = `
export default {
  name: "Orders",
  version: "0.0.1",
  props: { http: "$.interface.http" },
  run(event) {
    this.$emit(event.body, { id: event.body.id, summary: "Order " + event.body.id });
  },
};
`;
const PATIENCE_MS = 60_000;

const [url = "", key = ""] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${key}` } });

/** The data of a response that succeeded. */
function must<T>({ data, error }: { data?: T; error?: components["schemas"]["ErrorBody"] }): T {
  if (data === undefined) throw new Error(error?.error);
  return data;
}

async function createSource(): Promise<Source> {
  return must(await api.POST("/v1/sources", { body: { component_code: CODE, name: "orders" } })).data;
}

async function eventsOf({ id }: Source): Promise<components["schemas"]["EventSummary"][]> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const params = { path: { id }, query: { expand: "event", limit: 5 } };
    const { data, page_info } = must(await api.GET("/v1/sources/{id}/event_summaries", { params }));
    if (page_info.count > 0) return data;
    assert(Date.now() < deadline, "no event");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const source = await createSource();
const webhook = must(await api.POST("/v1/webhooks", { body: { url: "https://example.com/orders" } })).data;
const secret: string | undefined = webhook.signing_secret;
assert(secret?.startsWith("whsec_"));
const name: string | null = webhook.name;
assert.equal(name, null);
const subscription = { emitter_id: source.id, listener_id: webhook.id };
must(await api.POST("/v1/subscriptions", { body: subscription }));

const { endpoint_url } = source.configured_props.http as { endpoint_url: string };
const order = { id: "A-1", lines: [{ sku: "x", count: 2 }] };
assert((await fetch(endpoint_url, { method: "POST", body: JSON.stringify(order), headers: { "Content-Type": "application/json" } })).ok);
const [event] = await eventsOf(source);
assert.deepEqual(event?.event, order);
assert.equal(event.metadata.summary, "Order A-1");

const path = { id: webhook.id };
const deliveries = must(await api.GET("/v1/webhooks/{id}/deliveries", { params: { path } })).data;
assert.deepEqual(deliveries.map((delivery) => delivery.webhook_id), [webhook.id]);

assert.equal((await api.DELETE("/v1/webhooks/{id}", { params: { path } })).response.status, 204);
const params = { path: { id: source.id } };
assert.equal((await api.DELETE("/v1/sources/{id}", { params })).response.status, 204);
const { error, response } = await api.GET("/v1/sources/{id}", { params });
assert.equal(response.status, 404);
assert.equal(error?.error, "source not found");
