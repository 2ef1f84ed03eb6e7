// A real SMTP server on loopback. It wants a password, and keeps each mail as a file of JSON in the given folder.
// `refused…` gets no mail, and `busy…` only on the second try. Prints its address.

import { readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";

const [folder] = process.argv.slice(2);
const seen = new Set();

const server = new SMTPServer({
  allowInsecureAuth: true,
  disabledCommands: ["STARTTLS"],
  logger: false,
  onAuth({ username, password }, _session, done) {
    const known = username === "mailer" && password === "p@ss";
    done(known ? null : new Error("who are you?"), { user: username });
  },
  onRcptTo({ address }, _session, done) {
    const fault = (code, message) => done(Object.assign(new Error(message), { responseCode: code }));
    if (address.startsWith("refused")) {
      fault(550, "no such mailbox");
    } else if (address.startsWith("busy") && !seen.has(address)) {
      seen.add(address);
      fault(451, "come back later");
    } else {
      done();
    }
  },
  onData(stream, { envelope }, done) {
    const chunks = [];
    stream.on("data", (chunk) => chunks.push(chunk));
    stream.on("end", () => {
      const mail = {
        from: envelope.mailFrom.address,
        to: envelope.rcptTo.map(({ address }) => address),
        text: Buffer.concat(chunks).toString(),
      };
      const name = join(folder, String(readdirSync(folder).length));
      writeFileSync(`${name}.part`, JSON.stringify(mail));
      renameSync(`${name}.part`, `${name}.json`);
      done();
    });
  },
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));

// The one thing on standard output; it ends with whoever started it.
process.stdout.write(`127.0.0.1:${server.server.address().port}\n`);
process.stdin.on("end", () => process.exit(0)).resume();
