/** The initial document of a new workflow. */
export const EXAMPLE = `name: Hello
description: Greets the name in a request
triggers:
  - http: {}
steps:
  - name: greet
    code: |
      export default defineComponent({
        async run({ steps, $ }) {
          const name = steps.trigger.event.body?.name ?? "world";
          console.log("greeting", name);
          return \`Hello \${name}\`;
        },
      });
  - name: note
    code: |
      export default defineComponent({
        async run({ steps, $ }) {
          $.export("$summary", steps.greet.$return_value);
        },
      });
settings:
  concurrency: 4
`;
