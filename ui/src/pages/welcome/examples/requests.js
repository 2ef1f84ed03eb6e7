// Emits an event for each request to the endpoint of this source.
export default {
  name: 'First requests',
  version: '0.0.1',
  props: {
    http: '$.interface.http',
  },
  async run({ method, path, body }) {
    this.$emit({ method, path, body }, { summary: `${method} ${path}` });
  },
};
