// Apps, actions and steps: `this`, prop definitions and `$`.
import { defineAction, defineApp, defineComponent, type StepTools } from "@sluice/types";
import type { Equal, Expect } from "./equal.ts";

const acme = defineApp({
  type: "app",
  app: "acme",
  propDefinitions: {
    userId: {
      type: "string",
      label: "User",
      async options({ page, team }) {
        const users: { id: string; name: string }[] = await this.users(page, team);
        return users.map(({ id, name }) => ({ label: name, value: id }));
      },
    },
    teams: { type: "string[]", optional: true },
  },
  methods: {
    async request<T>(path: string): Promise<T> {
      const response = await fetch(`https://api.acme.test${path}`, { headers: { "x-key": this.$auth.api_key } });
      return (await response.json()) as T;
    },
    users(page: number, team?: string): Promise<{ id: string; name: string }[]> {
      return this.request(`/users?page=${page}&team=${team}`);
    },
  },
});

export const getUser = defineAction({
  name: "Get user",
  key: "acme-get-user",
  version: "0.0.1",
  type: "action",
  props: {
    acme,
    team: { type: "string", optional: true },
    userId: { propDefinition: [acme, "userId", (props) => ({ team: props.team })] },
    teams: { propDefinition: [acme, "teams"] },
    needed: { propDefinition: [acme, "teams"], optional: false },
  },
  async run({ $, steps }) {
    type _tools = Expect<Equal<typeof $, StepTools>>;
    type _user = Expect<Equal<typeof this.userId, string>>;
    type _teams = Expect<Equal<typeof this.teams, string[] | undefined>>;
    type _needed = Expect<Equal<typeof this.needed, string[]>>;
    const users = await this.acme.users(0);
    const key: string = this.acme.$auth.api_key;
    $.export("$summary", `Found ${users.length} with ${key}`);
    await $.send.http({ method: "POST", url: "https://example.com", data: steps.trigger.event });
    const { resume_url } = $.flow.suspend(60_000);
    type _url = Expect<Equal<typeof resume_url, string>>;
    await $.respond({ status: 202, body: { resume_url }, immediate: true });
    // @ts-expect-error: an action emits no events
    this.$emit({});
    // @ts-expect-error: the app has no such method
    this.acme.orders();
    // @ts-expect-error: there is no such destination
    $.send.fax({});
    // @ts-expect-error: the method is not one of HTTP
    $.send.http({ method: "SEND", url: "https://example.com" });
    // @ts-expect-error: a name is text
    $.export(5, 5);
    return users;
  },
});

export const viaComponent = defineComponent({
  name: "The same through defineComponent",
  version: "0.0.1",
  type: "action",
  props: { acme: { type: "app", app: "acme" }, count: { type: "integer" } },
  methods: {
    double() {
      return this.count * 2;
    },
  },
  run({ $ }) {
    type _double = Expect<Equal<ReturnType<typeof this.double>, number>>;
    $.export("count", this.double());
    const token: string = this.acme.$auth.oauth_access_token;
    // @ts-expect-error: an action emits no events
    this.$emit({});
    return token;
  },
});

export const step = defineComponent({
  props: { who: { type: "string", optional: true } },
  async run({ $, steps }) {
    type _who = Expect<Equal<typeof this.who, string | undefined>>;
    $.flow.exit("nothing to do");
    return steps.trigger.event.body.text;
  },
});

export const plainStep = defineComponent({
  async run({ $ }) {
    $.flow.delay(1_000);
    // @ts-expect-error: the step declares no props
    this.who;
  },
});

export const plainApp = defineComponent({
  type: "app",
  app: "plain",
  methods: {
    key() {
      return String(this.$auth.api_key);
    },
  },
});
