// Blocks component code until the test releases it, so that a run stays in progress.
import { createServer, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export class Gate {
  readonly url: string;
  #server: HttpServer;
  #waiting: ServerResponse[];

  private constructor(server: HttpServer, waiting: ServerResponse[]) {
    this.#server = server;
    this.#waiting = waiting;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  static async open(): Promise<Gate> {
    const waiting: ServerResponse[] = [];
    const server = createServer((_, response) => waiting.push(response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Gate(server, waiting);
  }

  letThrough() {
    for (const response of this.#waiting.splice(0)) response.end('go on');
  }

  async close() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
