// Increments a counter every ten seconds and emits it.
export default {
  name: 'First ticks',
  version: '0.0.1',
  props: {
    db: '$.service.db',
    timer: { type: '$.interface.timer', default: { intervalSeconds: 10 } },
  },
  async run() {
    const count = (this.db.get('count') ?? 0) + 1;
    this.db.set('count', count);
    this.$emit({ count }, { summary: `Tick ${count}` });
  },
};
