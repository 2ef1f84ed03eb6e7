// Secrets are typed unseen. The code gets them.
export default {
  key: "vaultine-door-opened",
  name: "Door Opened",
  version: "0.0.1",
  type: "source",
  props: {
    owner: { type: "string", label: "Owner" },
    token: { type: "string", label: "Signing Token", description: "From **Settings → Keys**", secret: true },
    pin: { type: "integer", label: "PIN", secret: true },
  },
  async run() {
    this.$emit({ owner: this.owner, token: this.token.split("").reverse().join(""), pin: this.pin + 1 });
  },
};
