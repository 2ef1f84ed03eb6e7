// The global functions have the same types. A component needs no import.
export default defineComponent({
  name: "Global",
  version: "0.0.1",
  props: { text: { type: "string" } },
  run() {
    this.$emit({ text: this.text.trim() });
    // @ts-expect-error: the prop is not declared
    this.other;
  },
});

export const app = defineApp({ type: "app", app: "acme", methods: { hello: () => "hello" } });
export const action = defineAction({
  name: "Global action",
  version: "0.0.1",
  type: "action",
  props: { app },
  run: ({ $ }) => $.export("a", 1),
});
export const source = defineSource({
  name: "Global source",
  version: "0.0.1",
  props: { app },
  run() {
    this.$emit(this.app.hello());
  },
});
