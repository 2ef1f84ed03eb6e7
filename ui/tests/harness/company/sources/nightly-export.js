export default {
  name: 'Nightly export',
  version: '0.3.1',
  props: {
    timer: { type: '$.interface.timer', default: { cron: '0 2 * * *' } },
  },
  async run() {
    this.$emit({ rows: 1240 }, { summary: '1,240 rows' });
  },
};
