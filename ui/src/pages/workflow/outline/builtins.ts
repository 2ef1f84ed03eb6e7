// Built-in steps: code that is ready to use. The code is in the document, so it can be changed there.

export type Builtin = {
  id: string;
  name: string;
  note: string;
  /** Further words to find it by. */
  words: string;
  code: string;
  /** Initial values, as YAML below `props:`. */
  props: string;
};

const component = (body: string) => `export default defineComponent({\n${body}\n});`;

export const BUILTINS: Builtin[] = [
  {
    id: 'code',
    name: 'Code',
    note: 'JavaScript of your own',
    words: 'javascript typescript function script custom',
    code: component(`  async run({ steps, $ }) {
    return steps.trigger.event;
  },`),
    props: '',
  },
  {
    id: 'filter',
    name: 'Filter',
    note: 'Ends the run unless a condition holds',
    words: 'condition if only exit stop continue',
    code: component(`  props: {
    condition: { type: "any", label: "Continue if", description: "The run goes on if the value is true." },
  },
  async run({ $ }) {
    if (!this.condition) return $.flow.exit("The condition does not hold");
  },`),
    props: 'condition: "{{ event.body != null }}"',
  },
  {
    id: 'delay',
    name: 'Delay',
    note: 'Waits before the next step',
    words: 'wait pause sleep later timer',
    code: component(`  props: {
    seconds: { type: "integer", label: "Seconds", min: 1, max: 31536000 },
  },
  async run({ $ }) {
    $.flow.delay(this.seconds * 1000);
  },`),
    props: 'seconds: 60',
  },
  {
    id: 'approval',
    name: 'Approval',
    note: 'Mails you two links, and waits for an answer',
    words: 'approve confirm human review suspend resume wait',
    code: component(`  props: {
    subject: { type: "string", label: "Subject" },
    text: { type: "string", label: "Text" },
    hours: { type: "integer", label: "Hours until the run is cancelled", min: 1, max: 8760 },
  },
  async run({ $ }) {
    const { resume_url, cancel_url } = $.flow.suspend(this.hours * 3600000);
    $.send.email({
      subject: this.subject,
      text: this.text + "\\n\\nApprove: " + resume_url + "\\nReject: " + cancel_url,
    });
  },`),
    props: 'subject: Approval needed\ntext: "A run waits for you."\nhours: 24',
  },
  {
    id: 'http',
    name: 'HTTP request',
    note: 'Sends a request and returns the response',
    words: 'http fetch api webhook call url rest get post',
    code: component(`  props: {
    method: { type: "string", label: "Method", options: ["GET", "POST", "PUT", "PATCH", "DELETE"] },
    url: { type: "string", label: "URL" },
    headers: { type: "object", label: "Headers", optional: true },
    body: { type: "any", label: "Body", optional: true, description: "A value that is not text is sent as JSON." },
  },
  async run() {
    const headers = { ...this.headers };
    const isText = typeof this.body === "string";
    if (this.body != null && !isText) headers["content-type"] ??= "application/json";
    const body = this.body == null || isText ? this.body : JSON.stringify(this.body);
    const response = await fetch(this.url, { method: this.method, headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(\`\${response.status} from \${this.url}: \${text.slice(0, 500)}\`);
    const isJson = response.headers.get("content-type")?.includes("json");
    return { status: response.status, body: isJson ? JSON.parse(text) : text };
  },`),
    props: 'method: GET\nurl: https://example.com/',
  },
  {
    id: 'mail',
    name: 'Mail to me',
    note: 'Sends a mail to the address of the account',
    words: 'email message notify send',
    code: component(`  props: {
    subject: { type: "string", label: "Subject" },
    text: { type: "string", label: "Text" },
  },
  async run({ $ }) {
    $.send.email({ subject: this.subject, text: this.text });
  },`),
    props: 'subject: New event\ntext: "{{ JSON.stringify(event) }}"',
  },
  {
    id: 'emit',
    name: 'Emit event',
    note: 'Sends an event to the listeners of the workflow',
    words: 'event channel listener webhook publish trigger',
    code: component(`  props: {
    event: { type: "any", label: "Event" },
    channel: { type: "string", label: "Channel", optional: true },
  },
  async run({ $ }) {
    $.send.emit(this.event, this.channel);
  },`),
    props: 'event: "{{ event }}"',
  },
];

const indented = (text: string, by: string) => text.replace(/^(?=.)/gm, by);

/** A built-in step as a new item of the document. */
export function builtinItem({ code, props }: Builtin, name: string): string {
  const given = props === '' ? '' : `  props:\n${indented(props, '    ')}\n`;
  return `- name: ${name}\n  code: |\n${indented(code, '    ')}\n${given}`;
}

/** The built-in step that has this code; undefined for other code. */
export function builtinOf(code: string): Builtin | undefined {
  const text = code.trim();
  return text === '' ? undefined : BUILTINS.find((one) => one.id !== 'code' && one.code === text);
}

/** The built-in steps with all words of a search. */
export function findBuiltins(query: string): Builtin[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  return BUILTINS.filter(({ name, note, words }) => {
    const text = `${name} ${note} ${words}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

export const TRIGGERS = [
  { id: 'http', name: 'HTTP request', note: 'An endpoint; each request starts a run', item: '- http: {}' },
  {
    id: 'schedule',
    name: 'Schedule',
    note: 'At fixed intervals, or at times of a cron expression',
    item: '- schedule: { interval_seconds: 3600 }',
  },
  {
    id: 'events',
    name: 'Events',
    note: 'Each event of a source or another workflow',
    item: '- events: { from: "dc_*" }',
  },
] as const;
