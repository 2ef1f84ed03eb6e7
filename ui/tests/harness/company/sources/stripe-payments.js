export default {
  name: 'Stripe payments',
  version: '1.2.0',
  props: {
    http: '$.interface.http',
  },
  async run({ body }) {
    const name = body.type === 'charge.refunded' ? 'refunds' : 'default';
    this.$emit(body, { name, summary: `${body.type}: ${body.amount / 100} EUR` });
  },
};
