const crypto = require("node:crypto");
const common = require("../common");
const { topics } = require("../common/settings.json");

const { bolt } = common;

module.exports = {
  key: "bolt-new-order-instant",
  name: "New Order (Instant)",
  version: "0.0.1",
  dedupe: "unique",
  props: {
    bolt,
    db: "$.service.db",
    http: {
      type: "$.interface.http",
      customResponse: true,
    },
  },
  hooks: {
    async activate() {
      const { id, secret } = await this.bolt.createHook({ url: this.http.endpoint, topics });
      this.db.set("webhookId", id);
      this.db.set("secret", secret);
    },
    async deactivate() {
      await this.bolt.deleteHook(this.db.get("webhookId"));
      this.db.set("webhookId", null);
    },
  },
  methods: {
    ...common.methods,
    generateMeta({ id, created_at: createdAt }) {
      return { id, summary: `New order ${id}`, ts: new Date(createdAt) };
    },
    isGenuine(event) {
      const hash = crypto.createHmac("sha256", this.db.get("secret")).update(event.bodyRaw).digest("hex");
      return event.headers["x-acme-signature"] === hash;
    },
  },
  async run(event) {
    if (!this.isGenuine(event)) {
      this.http.respond({ status: 401 });
      return;
    }
    this.emit(event.body);
    this.http.respond({ statusCode: 200, body: "thanks" });
  },
};
