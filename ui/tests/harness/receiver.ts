// A receiver of deliveries: an HTTP server with configurable responses.
import { createServer, type Server as HttpServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Person } from './server';

export type ReceivedRequest = { headers: IncomingHttpHeaders; body: string };

export class Receiver {
  status = 200;
  response = 'thank you';
  /** The reason to reject a body; undefined to accept it. */
  rejects: (body: string) => string | undefined = () => undefined;
  readonly received: ReceivedRequest[] = [];
  #server: HttpServer;

  private constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = Buffer.concat(parts).toString();
        this.received.push({ headers: request.headers, body });
        const reason = this.rejects(body);
        response.writeHead(reason ? 422 : this.status, { 'content-type': 'text/plain' }).end(reason ?? this.response);
      });
    });
  }

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/in`;
  }

  async stop() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const ECHO = `export default {
  name: 'Echo', version: '0.0.1', props: { http: '$.interface.http' },
  run(event) { this.$emit(event.body) },
};`;

/** A source that emits the bodies of its requests, with a function that sends one. */
export async function echo(who: Person, name: string) {
  const source = await who.source(name, ECHO);
  const { endpoint_url } = source.configured_props.http as { endpoint_url: string };
  const send = async (body: unknown) => {
    await fetch(endpoint_url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  };
  return { id: source.id, send };
}

/** A webhook, optionally subscribed to a source. */
export async function webhook(who: Person, name: string, url: string, source?: string): Promise<string> {
  const { data } = await who.post<{ data: { id: string } }>('/webhooks', { name, url });
  if (source) await who.post('/subscriptions', { emitter_id: source, listener_id: data.id });
  return data.id;
}
