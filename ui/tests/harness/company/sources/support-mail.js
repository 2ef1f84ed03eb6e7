export default {
  name: 'Support mail',
  version: '1.2.0',
  props: {
    http: '$.interface.http',
  },
  async run({ body }) {
    this.$emit(body, { summary: body.subject });
  },
};
