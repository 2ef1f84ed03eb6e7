"""Uses the API through a client that openapi-python-client generated: `client.py URL API_KEY`."""

import sys
import time

import httpx
from sluice_client import AuthenticatedClient
from sluice_client.api.deliveries import list_deliveries
from sluice_client.api.events import get_event, list_event_summaries
from sluice_client.api.sources import create_source, delete_source, get_source, list_sources
from sluice_client.api.subscriptions import create_subscription, list_subscriptions
from sluice_client.api.users import get_current_user
from sluice_client.api.webhooks import create_webhook, delete_webhook, get_webhook, list_webhooks
from sluice_client.models import (
    CreateSource,
    CreateWebhook,
    ErrorBody,
    FreeUser,
    SubscriptionParameters,
    WebhookStatus,
)

CODE = """
export default {
  name: "Orders",
  version: "0.0.1",
  props: { http: "$.interface.http" },
  run(event) {
    this.$emit(event.body, { id: event.body.id, summary: `Order ${event.body.id}` });
  },
};
"""
PATIENCE = 60

url, key = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key, raise_on_unexpected_status=True)

user = get_current_user.sync(client=client).data
assert isinstance(user, FreeUser), user

source = create_source.sync(client=client, body=CreateSource(component_code=CODE, name="orders")).data
assert (source.name, source.active) == ("orders", True), source
page = list_sources.sync(client=client, limit=5, expand="activity")
assert page.page_info.total_count == 1, page
assert page.data[0].id == source.id and len(page.data[0].activity.events) == 24, page

webhook = create_webhook.sync(client=client, body=CreateWebhook(url="https://example.com/orders")).data
assert webhook.signing_secret.startswith("whsec_") and webhook.name is None, webhook
subscription = create_subscription.sync(
    client=client, body=SubscriptionParameters(emitter_id=source.id, listener_id=webhook.id)
).data
assert [one.id for one in list_subscriptions.sync(client=client).data] == [subscription.id]

order = {"id": "A-1", "lines": [{"sku": "x", "count": 2}]}
httpx.post(source.configured_props["http"]["endpoint_url"], json=order).raise_for_status()
deadline = time.monotonic() + PATIENCE
while not (events := list_event_summaries.sync(source.id, client=client, expand="event").data):
    assert time.monotonic() < deadline, "no event"
    time.sleep(0.1)
assert events[0].event == order and events[0].metadata.summary == "Order A-1", events
event = get_event.sync(source.id, events[0].id, client=client).data
assert event.metadata.emitter_id == source.id, event

deliveries = list_deliveries.sync(webhook.id, client=client).data
assert [delivery.webhook_id for delivery in deliveries] == [webhook.id], deliveries
assert get_webhook.sync(webhook.id, client=client).data.health.status in list(WebhookStatus)
assert len(list_webhooks.sync(client=client, q="orders", expand="deliveries").data) == 1

assert delete_webhook.sync_detailed(webhook.id, client=client).status_code == 204
assert delete_source.sync_detailed(source.id, client=client).status_code == 204
missing = get_source.sync_detailed(source.id, client=client)
assert missing.status_code == 404 and isinstance(missing.parsed, ErrorBody), missing
assert missing.parsed.error == "source not found", missing
