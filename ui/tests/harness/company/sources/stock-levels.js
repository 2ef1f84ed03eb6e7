export default {
  name: 'Stock levels',
  version: '0.3.1',
  props: {
    timer: { type: '$.interface.timer', default: { intervalSeconds: 300 } },
  },
  async run() {
    const lamps = { Anker: 42, Boje: 7, Kutter: 0 };
    for (const [lamp, left] of Object.entries(lamps)) {
      this.$emit({ lamp, left }, { summary: `${lamp}: ${left} left` });
    }
  },
};
