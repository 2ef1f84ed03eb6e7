import { ConfigurationError } from "../../../common/errors.mjs";
import { shortHash } from "../../../common/hash.mjs";
import { refuse, rejectBadRequest } from "../../../common/refusals.mjs";
import { hmac, isRecent, isSame } from "../../../common/signatures.mjs";
import { mailIn } from "../../common/forwarders.mjs";

const MAX_CONTENT = 512 * 1024;
const MAILGUN_WINDOW_SECONDS = 15 * 60;

export default {
  key: "inbound-mail",
  name: "Inbound mail",
  description:
    "Emits mails that a service receives and forwards by webhook: Mailgun routes, SendGrid Inbound Parse, Postmark inbound, or any that sends JSON or the original mail (MIME). Each mail is emitted once.\n\nUse the endpoint of this source with the secret as its path, such as `https://…/e/…/my-secret`.",
  version: "1.0.0",
  type: "source",
  dedupe: "unique",
  props: {
    http: { type: "$.interface.http", customResponse: true },
    secret: {
      type: "string",
      label: "Secret",
      description:
        "Requests must have it as the path of the address, as the password of basic authentication, or in the header `X-Webhook-Secret`.",
      secret: true,
      optional: true,
    },
    mailgunKey: {
      type: "string",
      label: "Signing key of Mailgun",
      description: "Set it to check the signatures of Mailgun, in place of a secret.",
      secret: true,
      optional: true,
    },
    attachments: {
      type: "boolean",
      label: "Emit attachments",
      description:
        "Emit the content of attachments in base64, up to 512 KiB in all. Otherwise only their names and sizes.",
      default: true,
    },
  },
  async run(event) {
    const { secret, mailgunKey } = this;
    if (!secret && !mailgunKey) throw new ConfigurationError("Set Secret, or the signing key of Mailgun");
    const isFromMailgun = Boolean(mailgunKey) && isSignedByMailgun(event.body, mailgunKey);
    const hasSecret = Boolean(secret) && secretsIn(event).some((given) => isSame(given, secret));
    if (!isFromMailgun && !hasSecret) return refuse(this.http, "the secret or signature is missing or wrong");
    const mail = mailIn(event);
    if (mail === undefined) return rejectBadRequest(this.http, "there is no mail in the request");
    const attachments = limited(mail.attachments, this.attachments ? MAX_CONTENT : 0);
    const id = mail.message_id ?? JSON.stringify([mail.from, mail.date, mail.subject, mail.text]);
    this.$emit(
      { ...mail, attachments },
      {
        id: shortHash(id),
        summary: `${mail.from.name || mail.from.address}: ${mail.subject}`,
        ts: mail.date === null ? undefined : Date.parse(mail.date),
      },
    );
    return this.http.respond({ status: 200, body: { accepted: true } });
  },
};

function secretsIn({ path = "", headers = {} }) {
  const [, encoded = ""] = /^Basic\s+(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  const password = Buffer.from(encoded, "base64").toString().split(":").slice(1).join(":");
  return [decoded(path.replace(/^\//, "")), headers["x-webhook-secret"] ?? "", password];
}

function decoded(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function isSignedByMailgun(body, key) {
  const { timestamp, token, signature } = body?.signature?.token ? body.signature : (body ?? {});
  if (![timestamp, token, signature].every((field) => typeof field === "string")) return false;
  return isSame(signature, hmac(key, "hex", timestamp, token)) && isRecent(timestamp, MAILGUN_WINDOW_SECONDS);
}

function limited(attachments, maxContent) {
  let remaining = maxContent;
  return attachments.map(({ content, ...attachment }) => {
    const size = attachment.size ?? 0;
    if (content === undefined || size > remaining) return attachment;
    remaining -= size;
    return { ...attachment, content };
  });
}
