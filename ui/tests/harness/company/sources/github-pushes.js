export default {
  name: 'GitHub pushes',
  version: '1.2.0',
  props: {
    http: '$.interface.http',
  },
  async run({ body }) {
    this.$emit(body, { summary: `${body.pusher} pushed to ${body.ref}` });
  },
};
