// Pages by number. The last page is shorter than the others.
const PER_PAGE = 12;
const TOTAL = 30;

export default {
  key: "orrery-planet-risen",
  name: "Planet Risen",
  version: "0.0.1",
  type: "source",
  props: {
    planet: {
      type: "integer",
      label: "Planet",
      async options({ page }) {
        const from = page * PER_PAGE;
        const count = Math.max(0, Math.min(PER_PAGE, TOTAL - from));
        return Array.from({ length: count }, (_, at) => ({
          label: `Planet no. ${from + at + 1}`,
          value: from + at + 1,
        }));
      },
    },
  },
  async run() {
    this.$emit({ planet: this.planet });
  },
};
