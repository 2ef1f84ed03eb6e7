export default {
  name: 'Product reviews',
  version: '1.2.0',
  props: {
    http: '$.interface.http',
  },
  async run({ body }) {
    this.$emit(body, { summary: `${body.stars} of 5: ${body.text}` });
  },
};
