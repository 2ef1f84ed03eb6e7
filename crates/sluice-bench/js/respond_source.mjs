export default {
  name: "Benchmark response",
  version: "1.0.0",
  props: { http: { type: "$.interface.http", customResponse: true } },
  run(event) {
    this.http.respond({ status: 200, body: event.body });
  },
};
