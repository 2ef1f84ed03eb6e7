export default {
  name: 'Newsletter sign-ups',
  version: '1.2.0',
  props: {
    http: '$.interface.http',
  },
  async run({ body }) {
    this.$emit(body, { summary: body.email });
  },
};
