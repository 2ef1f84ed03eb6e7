// A string prop whose option values are numbers, beside a list of them.
export default {
  key: "quaystone-new-ticket",
  name: "New Ticket",
  description: "Emit new event when a ticket has the priority.",
  version: "0.0.1",
  type: "source",
  props: {
    db: "$.service.db",
    priority: {
      type: "string",
      label: "Priority",
      description: "Only tickets with this priority",
      options: [
        { label: "None", value: 0 },
        { label: "Low", value: 1 },
        { label: "Medium", value: 2 },
        { label: "High", value: 3 },
      ],
    },
    states: {
      type: "string[]",
      label: "States",
      options: [
        { label: "Open", value: 10 },
        { label: "Waiting", value: 20 },
        { label: "Closed", value: 30 },
      ],
    },
  },
  async run() {
    this.$emit({ priority: this.priority, states: this.states });
  },
};
