// The service identifies everything by number, and its props are strings.
const boards = [
  { id: 4101, title: "Harbour works" },
  { id: 4102, title: "Night shift" },
  { id: 4103, title: "Spare parts" },
];

export default {
  key: "plankwise-card-moved",
  name: "Card Moved (Instant)",
  version: "0.0.3",
  type: "source",
  props: {
    boardId: {
      type: "string",
      label: "Board ID",
      description: "The board to watch",
      async options() {
        return boards.map(({ id: value, title: label }) => ({ label, value }));
      },
    },
    laneIds: {
      type: "string[]",
      label: "Lane IDs",
      async options() {
        return [1, 2, 3].map((lane) => ({ label: `Lane ${lane}`, value: this.boardId * 10 + lane }));
      },
    },
    wipLimit: {
      type: "integer",
      label: "Limit",
      async options() {
        return [3, 5, 8];
      },
    },
  },
  async run() {
    this.$emit({ board: this.boardId, lanes: this.laneIds, limit: this.wipLimit });
  },
};
