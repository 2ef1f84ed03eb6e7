export default defineComponent({
  props: {
    url: "string",
    order: "object",
  },
  async run({ $ }) {
    // It goes out when the run has ended, and is tried again when the receiver is not well.
    await $.send.http({ method: "POST", url: this.url, data: this.order });
    $.export("$summary", `Forwarded order ${this.order.id}`);
  },
});
