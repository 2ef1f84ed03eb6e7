// Asks the reference verifier of Standard Webhooks about a request: what it verified to on standard output, or an error.
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";

const { secret, body, headers } = JSON.parse(await text(process.stdin));
const verified = new Webhook(secret).verify(body, headers);
process.stdout.write(JSON.stringify(verified));
