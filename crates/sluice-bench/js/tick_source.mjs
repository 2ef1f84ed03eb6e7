// Counts its ticks, and emits when each one became due and when it ran.

export default {
  name: "Benchmark tick",
  version: "1.0.0",
  props: { timer: "$.interface.timer", db: "$.service.db" },
  run(event) {
    const ran_at_ms = Date.now();
    const ticks = (this.db.get("ticks") ?? 0) + 1;
    this.db.set("ticks", ticks);
    this.$emit({ ran_at_ms, fired_at_s: event.timestamp, ticks });
  },
};
