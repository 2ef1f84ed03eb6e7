// Definitions of an app, each with the values of earlier props.
const shelfmark = {
  type: "app",
  app: "shelfmark",
  propDefinitions: {
    library: {
      type: "string",
      label: "Library",
      async options() {
        return this.libraries();
      },
    },
    room: {
      type: "string",
      label: "Room",
      async options({ library, page }) {
        return page === 0 ? this.rooms(library) : [];
      },
    },
    shelves: {
      type: "string[]",
      label: "Shelves",
      async options({ library, room }) {
        return [1, 2, 3].map((n) => ({ label: `${library}.${room} shelf ${n}`, value: Number(room) * 10 + n }));
      },
    },
  },
  methods: {
    libraries() {
      return [
        { label: "North", value: 1 },
        { label: "South", value: 2 },
      ];
    },
    rooms(library) {
      return ["reading", "stacks"].map((name, at) => ({ label: `${name} of ${library}`, value: library * 10 + at }));
    },
  },
};

export default {
  key: "shelfmark-book-returned",
  name: "Book Returned",
  version: "0.0.2",
  type: "source",
  props: {
    shelfmark,
    library: { propDefinition: [shelfmark, "library"] },
    room: { propDefinition: [shelfmark, "room", (c) => ({ library: c.library })] },
    shelves: {
      propDefinition: [shelfmark, "shelves", ({ library, room }) => ({ library, room })],
      label: "Shelves to watch",
    },
  },
  async run() {
    this.$emit({ library: this.library, room: this.room, shelves: this.shelves });
  },
};
