// Follows a stream with the `eventsource` package, which reconnects by itself, and prints each message as a line of JSON.
// Arguments: the address and the API key. It ends when its standard input does.

import { EventSource } from "eventsource";

const [address, key] = process.argv.slice(2);
const stream = new EventSource(address, {
  fetch: (input, init) =>
    fetch(input, {
      ...init,
      headers: { ...init.headers, Authorization: `Bearer ${key}` },
    }),
});
stream.onopen = () => console.log(JSON.stringify({ open: true }));
stream.onmessage = ({ lastEventId, data }) => console.log(JSON.stringify({ id: lastEventId, data: JSON.parse(data) }));
stream.onerror = ({ code, message }) => {
  // Anything but a lost connection ends the stream for good.
  if (stream.readyState === EventSource.CLOSED) console.log(JSON.stringify({ closed: `${code} ${message}` }));
};
process.stdin.resume().on("end", () => process.exit(0));
