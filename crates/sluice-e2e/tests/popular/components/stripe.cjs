const assert = require("node:assert/strict");
const Stripe = require("stripe");

module.exports = {
  name: "stripe",
  version: "0.0.1",
  async run() {
    const stripe = new Stripe("sk_test");
    const payload = JSON.stringify({ id: "evt_1", object: "event" });
    const header = stripe.webhooks.generateTestHeaderString({ payload, secret: "whsec" });
    assert.equal(stripe.webhooks.constructEvent(payload, header, "whsec").id, "evt_1");
    this.$emit("ok");
  },
};
