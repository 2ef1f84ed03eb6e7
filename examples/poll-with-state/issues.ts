/** An issue, as the API has it. */
interface Issue {
  id: number;
  title: string;
  updated_at: string;
}

interface Page {
  issues: Issue[];
  next?: string;
}

// Emits each new or changed issue of an API with pages. It remembers how far it has read.
export default defineComponent({
  name: "Issues",
  version: "0.1.0",
  dedupe: "unique",
  props: {
    timer: { type: "$.interface.timer", default: { intervalSeconds: 5 * 60 } },
    db: "$.service.db",
    url: { type: "string", label: "URL of the API" },
  },
  methods: {
    async page(path: string): Promise<Page> {
      const response = await fetch(new URL(path, this.url), { signal: AbortSignal.timeout(10_000) });
      if (!response.ok) throw new Error(`${path}: the API responded ${response.status}`);
      return response.json();
    },
  },
  async run() {
    const since: string = this.db.get("since") ?? "1970-01-01T00:00:00Z";
    let newest = since;
    let path: string | undefined = `/issues?since=${encodeURIComponent(since)}`;
    while (path) {
      const { issues, next }: Page = await this.page(path);
      for (const issue of issues) {
        const ts = Date.parse(issue.updated_at);
        this.$emit(issue, { id: `${issue.id}@${issue.updated_at}`, summary: issue.title, ts });
        if (issue.updated_at > newest) newest = issue.updated_at;
      }
      path = next;
    }
    // The last statement: a run that fails earlier reads the same issues again, and dedupe drops those that were emitted.
    this.db.set("since", newest);
  },
});
