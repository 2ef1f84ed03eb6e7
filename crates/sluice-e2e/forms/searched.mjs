// The service searches: too many people to list.
const PEOPLE = ["Ada Brook", "Bruno Castell", "Celia Drummond", "Dario Brook", "Elin Fairweather"];

function found(query) {
  return PEOPLE.map((label, at) => ({ label, value: 700 + at })).filter(
    ({ label }) => !query || label.toLowerCase().includes(query.toLowerCase()),
  );
}

export default {
  key: "rolodeck-person-updated",
  name: "Person Updated",
  version: "0.2.0",
  type: "source",
  props: {
    person: {
      type: "string",
      label: "Person",
      description: "Type to search",
      useQuery: true,
      async options({ query, page }) {
        return page > 0 ? [] : found(query);
      },
    },
    watchers: {
      type: "string[]",
      label: "Watchers",
      useQuery: true,
      async options({ query, page }) {
        return page > 0 ? [] : found(query);
      },
    },
  },
  async run() {
    this.$emit({ person: this.person, watchers: this.watchers });
  },
};
