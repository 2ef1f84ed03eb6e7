export default {
  name: 'Parcel tracking',
  version: '1.2.0',
  props: {
    http: '$.interface.http',
  },
  async run({ body }) {
    if (!body.parcel) throw new Error('the carrier sent no parcel number');
    this.$emit(body, { summary: `${body.parcel} is ${body.state}` });
  },
};
