// Somebody who is sent events.
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export class Receiver {
  readonly url: string;
  readonly paths: string[] = [];
  #server: HttpServer;

  private constructor(server: HttpServer) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Refuses what `refuses` finds a reason to refuse, with 422. */
  static async start(refuses: (path: string, body: string) => string | undefined = () => undefined): Promise<Receiver> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const receiver = new Receiver(server);
    server.on('request', async (request, response) => {
      const path = request.url ?? '';
      receiver.paths.push(path);
      const error = refuses(path, await text(request));
      response.writeHead(error ? 422 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(error ? { error } : { ok: true }));
    });
    return receiver;
  }

  async stop() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
