import { createHmac } from "node:crypto";
import base from "./base.mjs";

export default {
  ...base,
  props: {
    ...base.props,
    http: {
      type: "$.interface.http",
      customResponse: true,
    },
  },
  hooks: {
    async activate() {
      const { id, secret } = await this.acme.createWebhook({
        data: { url: this.http.endpoint, topics: this.getTopics() },
      });
      this.db.set("webhookId", id);
      this.db.set("secret", secret);
    },
    async deactivate() {
      const webhookId = this.db.get("webhookId");
      if (webhookId) await this.acme.deleteWebhook({ webhookId });
      this.db.set("webhookId", null);
    },
  },
  methods: {
    ...base.methods,
    getTopics() {
      return [];
    },
    isGenuine({ headers, bodyRaw }) {
      const hash = createHmac("sha256", this.db.get("secret")).update(bodyRaw).digest("hex");
      return headers["x-acme-signature"] === hash;
    },
  },
  async run(event) {
    if (!this.isGenuine(event)) {
      return this.http.respond({ status: 401 });
    }
    this.http.respond({ status: "200", body: "thanks" });
    this.emitEvent(event.body);
  },
};
