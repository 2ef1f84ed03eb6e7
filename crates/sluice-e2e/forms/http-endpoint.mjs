// A webhook with a response of its own and a fixed schedule beside it.
export default {
  key: "chutes-parcel-dropped",
  name: "Parcel Dropped",
  version: "0.0.1",
  type: "source",
  props: {
    http: { type: "$.interface.http", customResponse: true },
    timer: { type: "$.interface.timer", static: { intervalSeconds: 3600 } },
    db: "$.service.db",
    status: { type: "string", label: "Response status", options: [200, 202] },
    reply: { type: "string", label: "Reply", description: "The body of the response" },
  },
  async run(event) {
    if (event.method) this.http.respond({ status: this.status, body: this.reply });
    this.$emit({ reply: this.reply, status: this.status });
  },
};
