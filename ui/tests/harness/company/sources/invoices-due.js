export default {
  name: 'Invoices due',
  version: '0.3.1',
  props: {
    timer: { type: '$.interface.timer', default: { cron: '0 7 * * 1-5' } },
  },
  async run() {
    this.$emit({ due: 3 }, { summary: '3 invoices are due' });
  },
};
