export default defineComponent({
  props: {
    url: "string",
    order: "object",
  },
  async run({ $ }) {
    // The request is sent when the run has ended, and retried if the receiver fails.
    await $.send.http({ method: "POST", url: this.url, data: this.order });
    $.export("$summary", `Forwarded order ${this.order.id}`);
  },
});
