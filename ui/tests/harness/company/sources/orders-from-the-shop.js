export default {
  name: 'Orders from the shop',
  version: '1.2.0',
  props: {
    http: '$.interface.http',
  },
  async run({ body }) {
    const { id, items, total } = body;
    console.log(`order ${id} from ${body.customer.city}`);
    this.$emit(body, { id, summary: `Order ${id}: ${items.length} lamps, ${total} EUR` });
  },
};
