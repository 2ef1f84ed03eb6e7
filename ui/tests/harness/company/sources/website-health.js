export default {
  name: 'Website health',
  version: '0.3.1',
  props: {
    timer: { type: '$.interface.timer', default: { intervalSeconds: 600 } },
  },
  async run() {
    console.log('asking the shop how it is');
    throw new Error('the shop answered 502');
  },
};
