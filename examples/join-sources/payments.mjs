// Emits the payments of a bank.
export default {
  name: "Payments",
  version: "0.1.0",
  props: { http: "$.interface.http" },
  run({ body }) {
    this.$emit(
      { kind: "payment", order: body.reference, amount: body.amount },
      { summary: `Payment of ${body.reference}` },
    );
  },
};
