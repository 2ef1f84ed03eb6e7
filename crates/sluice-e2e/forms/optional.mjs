// Optional props of several types. Some are filled in and some are left out.
// More than a form offers at once.
function spare(count) {
  const names = Array.from({ length: count }, (_, at) => [`spare${at + 1}`, `Spare ${at + 1}`]);
  return Object.fromEntries(names.map(([name, label]) => [name, { type: "string", label, optional: true }]));
}

export default {
  key: "beekept-hive-weighed",
  name: "Hive Weighed",
  version: "0.0.1",
  type: "source",
  props: {
    hive: { type: "string", label: "Hive" },
    nickname: { type: "string", label: "Nickname", optional: true },
    minWeight: { type: "integer", label: "Minimum Weight", optional: true, min: 0 },
    season: {
      type: "string",
      label: "Season",
      optional: true,
      options: [
        { label: "Spring", value: 1 },
        { label: "Autumn", value: 3 },
      ],
    },
    colour: { type: "string", label: "Colour", optional: true, options: ["amber", "dark"] },
    tags: { type: "string[]", label: "Tags", optional: true },
    raw: { type: "boolean", label: "Raw Data", optional: true },
    sealed: { type: "boolean", label: "Sealed", optional: true },
    keeper: {
      type: "string",
      label: "Keeper",
      optional: true,
      async options() {
        return [
          { label: "Imre", value: 51 },
          { label: "Jola", value: 52 },
        ];
      },
    },
    ...spare(6),
    note: { type: "string", label: "Note", optional: true },
  },
  async run() {
    this.$emit({ hive: this.hive, minWeight: this.minWeight, season: this.season, raw: this.raw });
  },
};
