// The code wants the label, too. A definition of the app gets another label.
const patchbay = {
  type: "app",
  app: "patchbay",
  propDefinitions: {
    jack: {
      type: "string",
      label: "Jack",
      withLabel: true,
      async options() {
        return [
          { label: "Left", value: 1 },
          { label: "Right", value: 2 },
        ];
      },
    },
  },
};

export default {
  key: "patchbay-cable-plugged",
  name: "Cable Plugged",
  version: "0.0.1",
  type: "source",
  props: {
    input: { propDefinition: [patchbay, "jack"], label: "Input Jack" },
    outputs: {
      propDefinition: [patchbay, "jack"],
      type: "string[]",
      label: "Output Jacks",
      description: "One or *more*",
    },
    mode: {
      type: "string",
      label: "Mode",
      withLabel: true,
      options: [
        { label: "Mono", value: 1 },
        { label: "Stereo", value: 2 },
      ],
    },
  },
  async run() {
    this.$emit({ input: this.input, outputs: this.outputs, mode: this.mode });
  },
};
