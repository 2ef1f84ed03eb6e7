import nodemailer from "nodemailer@10.2.1";
import { ConfigurationError } from "../../../common/errors.mjs";

const TIMEOUT_MS = 20_000;

export default {
  key: "send-mail",
  name: "Send mail",
  description:
    "Sends a mail through an SMTP server. Without an SMTP server, the mail goes to your own address through the mail settings of this Sluice server.",
  version: "1.0.0",
  type: "action",
  props: {
    subject: { type: "string", label: "Subject" },
    text: { type: "string", label: "Text", optional: true },
    html: {
      type: "string",
      label: "HTML",
      description: "The mail as HTML, beside or in place of the text.",
      optional: true,
    },
    to: { type: "string[]", label: "To", description: "Addresses of the recipients.", optional: true },
    cc: { type: "string[]", label: "Cc", optional: true },
    bcc: { type: "string[]", label: "Bcc", optional: true },
    from: {
      type: "string",
      label: "From",
      description: "The sender, such as `Ada <ada@example.com>`.",
      optional: true,
    },
    replyTo: { type: "string", label: "Reply to", optional: true },
    host: { type: "string", label: "SMTP server", description: "Such as `smtp.example.com`.", optional: true },
    port: { type: "integer", label: "Port", default: 587, min: 1, max: 65_535, optional: true },
    security: {
      type: "string",
      label: "Encryption",
      options: [
        { label: "STARTTLS, required", value: "starttls" },
        { label: "TLS from the start (port 465)", value: "tls" },
        { label: "None", value: "none" },
      ],
      default: "starttls",
      optional: true,
    },
    username: { type: "string", label: "User name", optional: true },
    password: { type: "string", label: "Password", secret: true, optional: true },
  },
  async run({ $ }) {
    const { subject, text, html } = this;
    if (!text && !html) throw new ConfigurationError("Set Text or HTML");
    if (!this.host) return this.sendToOwner($, { subject, text, html });
    if (!this.to?.length) throw new ConfigurationError("To needs at least one address");
    if (!this.from) throw new ConfigurationError("From is required with an SMTP server");
    const { to, cc, bcc, from, replyTo } = this;
    const transport = nodemailer.createTransport(this.transportOptions());
    try {
      const sent = await transport.sendMail({ from, to, cc, bcc, replyTo, subject, text, html });
      $.export("$summary", `Mail sent to ${sent.accepted.join(", ")}`);
      return { message_id: sent.messageId, accepted: sent.accepted, rejected: sent.rejected, response: sent.response };
    } finally {
      transport.close();
    }
  },
  methods: {
    async sendToOwner($, mail) {
      const addresses = [this.to, this.cc, this.bcc].flat().filter(Boolean);
      if (addresses.length > 0)
        throw new ConfigurationError("Set SMTP server to send to other addresses than your own");
      await $.send.email(mail);
      $.export("$summary", "Mail queued for your own address");
      return { queued: true };
    },
    transportOptions() {
      const { host, port, security, username, password } = this;
      return {
        host,
        port,
        secure: security === "tls",
        requireTLS: security === "starttls",
        ignoreTLS: security === "none",
        auth: username ? { user: username, pass: password ?? "" } : undefined,
        connectionTimeout: TIMEOUT_MS,
        greetingTimeout: TIMEOUT_MS,
        socketTimeout: TIMEOUT_MS,
        // A mail contains the given texts only, and no files or addresses.
        disableFileAccess: true,
        disableUrlAccess: true,
      };
    },
  },
};
