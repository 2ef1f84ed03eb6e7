export default {
  name: "Benchmark timer",
  version: "1.0.0",
  props: { timer: "$.interface.timer" },
  run(event) {
    this.$emit({ ran_at_ms: Date.now(), fired_at_s: event.timestamp });
  },
};
