export default {
  key: "schedule",
  name: "Schedule",
  description: "Emits an event at fixed intervals, or at the times of a cron expression.",
  version: "1.0.0",
  type: "source",
  props: {
    timer: {
      type: "$.interface.timer",
      label: "Schedule",
      description: "An interval in seconds, or a cron expression with an optional time zone.",
      default: { intervalSeconds: 60 * 60 },
    },
    data: {
      type: "object",
      label: "Data",
      description: "Fields that each event has in `data`.",
      optional: true,
    },
  },
  run(event) {
    const seconds = Number.isFinite(event.timestamp) ? event.timestamp : Math.floor(Date.now() / 1000);
    const time = new Date(seconds * 1000).toISOString();
    this.$emit({ ...event, timestamp: seconds, time, data: this.data ?? {} }, { summary: time, ts: seconds * 1000 });
  },
};
