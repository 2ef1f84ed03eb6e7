export default {
  name: "Benchmark echo",
  version: "1.0.0",
  props: { http: "$.interface.http" },
  run(event) {
    this.$emit(event.body);
  },
};
