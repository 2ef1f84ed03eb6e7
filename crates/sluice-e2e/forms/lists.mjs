// Lists without options. Texts that look like numbers stay texts.
export default {
  key: "stencilry-job-printed",
  name: "Job Printed",
  version: "0.0.1",
  type: "source",
  props: {
    codes: { type: "string[]", label: "Codes", description: "Such as `007`" },
    margins: { type: "string[]", label: "Margins", default: [] },
    copies: { type: "integer[]", label: "Copies" },
  },
  async run() {
    this.$emit([this.codes, this.copies]);
  },
};
