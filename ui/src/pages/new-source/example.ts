// The initial code of a new source.
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
    // Called for each request to the endpoint and each tick of the timer.
    const summary = event.method ? \`\${event.method} \${event.path}\` : "Timer tick";
    this.$emit(event, { summary, ts: Date.now() });
  },
};
`;
