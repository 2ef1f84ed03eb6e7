// Props that nobody fills in, names without labels, and a long description in Markdown.
export default {
  key: "tallyroom-vote-counted",
  name: "Vote Counted",
  version: "0.0.1",
  type: "source",
  props: {
    apiVersion: { type: "string", hidden: true, default: "v3" },
    endpoint: { type: "string", label: "Endpoint", disabled: true, default: "https://tallyroom.example" },
    unset: { type: "string", label: "Unset", disabled: true },
    tag: { type: "string", label: "Tag", readOnly: true, default: "live" },
    ballot_id: {
      type: "string",
      description:
        "The id of the ballot, which is the last part of its address.\n\n1. Open **Ballots**.\n2. Copy `id` from the [address](https://tallyroom.example/ballots?id=1).\n\n" +
        "Ballots that ended are not counted. ".repeat(12),
      options: [
        { label: "Größe & Maß <b>", value: 5 },
        { label: "مدينة", value: 6 },
      ],
    },
  },
  async run() {
    this.$emit({ version: this.apiVersion, endpoint: this.endpoint, tag: this.tag, ballot: this.ballot_id });
  },
};
