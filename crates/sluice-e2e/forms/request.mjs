// A request that the user describes.
export default {
  key: "echoform-answer-changed",
  name: "Answer Changed",
  version: "0.0.1",
  type: "source",
  props: {
    request: { type: "http_request", label: "Request", default: { method: "GET", url: "https://echoform.example/" } },
    hook: { type: "http_request", label: "Hook" },
  },
  async run() {
    this.$emit({ url: this.hook.url, method: this.hook.method });
  },
};
