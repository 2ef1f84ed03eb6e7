// Sources: `this`, the event, emits and hooks.
import { defineComponent, defineSource, type HttpRequest, type TimerTick } from "@sluice/types";
import type { Equal, Expect } from "./equal.ts";

export const orders = defineComponent({
  name: "Orders",
  version: "0.0.1",
  dedupe: "unique",
  props: {
    http: { type: "$.interface.http", customResponse: true },
    db: "$.service.db",
    shop: { type: "string", label: "Shop" },
    limit: { type: "integer", min: 1, max: 100, default: 10 },
    dry: { type: "boolean", optional: true },
    tags: { type: "string[]", options: ["a", "b"] },
    numbers: { type: "integer[]", optional: true },
    extra: { type: "object" },
    colour: { type: "string", withLabel: true },
    store: { type: "data_store" },
    region: {
      type: "string",
      async options({ page, prevContext, query }) {
        type _page = Expect<Equal<typeof page, number>>;
        type _query = Expect<Equal<typeof query, string | undefined>>;
        const items: string[] = await this.list(page);
        return { options: items.map((value) => ({ label: value, value })), context: { next: prevContext?.next } };
      },
    },
  },
  methods: {
    async list(page: number): Promise<string[]> {
      return [`${this.shop} ${page}`];
    },
    total(items: { price: number }[]) {
      return items.reduce((sum, { price }) => sum + price, 0);
    },
    describe(count: number) {
      return `${this.shop}: ${this.total([{ price: count }])}`;
    },
  },
  hooks: {
    async deploy() {
      this.db.set("page", 0);
      await this.$emit({ first: true }, { id: 1 });
    },
    async activate() {
      type _endpoint = Expect<Equal<typeof this.http.endpoint, string>>;
      const items = await this.list(0);
      for (const item of items) this.$emit({ item }, { id: item });
    },
    deactivate() {
      this.db.set("page", undefined);
    },
  },
  async run(event) {
    type _event = Expect<Equal<typeof event, HttpRequest>>;
    type _limit = Expect<Equal<typeof this.limit, number>>;
    type _dry = Expect<Equal<typeof this.dry, boolean | undefined>>;
    type _tags = Expect<Equal<typeof this.tags, string[]>>;
    type _numbers = Expect<Equal<typeof this.numbers, number[] | undefined>>;
    type _colour = Expect<Equal<typeof this.colour, { label: string; value: string }>>;
    const seen = this.db.get<number>("seen") ?? 0;
    const known: string | undefined = await this.store.get<string>("known");
    const text: string = this.describe(seen);
    await this.http.respond({ status: 200, headers: { "x-total": text }, body: { known, extra: this.extra.any } });
    await this.$emit(event.body, { id: event.headers["x-id"] ?? seen, summary: text, ts: Date.now(), name: "orders" });
    // @ts-expect-error: the prop is not declared
    this.shopp;
    // @ts-expect-error: a number is not a string
    this.shop = this.limit;
    // @ts-expect-error: a component with `dedupe` gives each event an id
    this.$emit(event.body);
    // @ts-expect-error: the id is missing
    this.$emit(event.body, { summary: "S" });
    // @ts-expect-error: metadata has no such field
    this.$emit(event.body, { id: 1, sumary: "S" });
    // @ts-expect-error: a response needs a status
    this.http.respond({ body: "x" });
    // @ts-expect-error: the event of a request has no timestamp
    event.timestamp;
    // @ts-expect-error: the argument is a number
    this.list("0");
    // @ts-expect-error: an optional value may be missing
    this.numbers.length;
  },
});

export const ticks = defineSource({
  name: "Ticks",
  version: "0.0.1",
  props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 60 } } },
  run(event) {
    type _event = Expect<Equal<typeof event, TimerTick>>;
    type _seconds = Expect<Equal<typeof this.timer.interval_seconds, number | null>>;
    this.$emit({ at: event.timestamp });
    this.$emit({ at: event.timestamp }, { summary: "Tick" });
    // @ts-expect-error: the source has no endpoint
    this.http;
  },
});

export const both = defineComponent({
  name: "Both",
  version: "0.0.1",
  props: { http: "$.interface.http", timer: { type: "$.interface.timer", static: { cron: "0 9 * * *", timezone: "UTC" } } },
  run(event) {
    if ("timestamp" in event) {
      type _tick = Expect<Equal<typeof event, TimerTick>>;
      return;
    }
    type _request = Expect<Equal<typeof event, HttpRequest>>;
  },
});

export const listener = defineComponent({
  name: "Listener",
  version: "0.0.1",
  run(event) {
    this.$emit(event.anything.at.all);
  },
});

export const hooked = defineComponent({
  name: "Hooked",
  version: "0.0.1",
  dedupe: "greatest",
  props: { hook: { type: "$.interface.apphook" }, note: { type: "alert", content: "Read this" } },
  run(event) {
    this.$emit(event.items, { id: 5 });
  },
});

export const unknownType = defineSource({
  name: "Unknown type",
  version: "0.0.1",
  // @ts-expect-error: there is no such type
  props: { text: { type: "strng" } },
  run() {},
});

export const unknownDedupe = defineSource({
  name: "Unknown dedupe",
  version: "0.0.1",
  // @ts-expect-error: there is no such strategy
  dedupe: "uniq",
  run() {},
});

export const badSchedule = defineSource({
  name: "Bad schedule",
  version: "0.0.1",
  // @ts-expect-error: the field is intervalSeconds
  props: { timer: { type: "$.interface.timer", default: { seconds: 5 } } },
  run() {},
});

// @ts-expect-error: a source needs a version
export const noVersion = defineSource({ name: "No version", run() {} });
