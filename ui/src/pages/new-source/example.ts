// Where code begins: small, complete, and it emits something as soon as it is there.
export const EXAMPLE = `export default {
  name: "Hello",
  version: "0.0.1",
  props: {
    http: "$.interface.http",
    timer: {
      type: "$.interface.timer",
      default: { intervalSeconds: 900 },
    },
  },
  async run(event) {
    // Each request to the endpoint comes here, and each tick of the timer.
    const summary = event.method ? \`\${event.method} \${event.path}\` : "The timer ticked";
    this.$emit(event, { summary, ts: Date.now() });
  },
};
`;
