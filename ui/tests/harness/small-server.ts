// An HTTP server on loopback, for code that is fetched and for an OAuth provider.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type SmallServer = { url: string; close: () => Promise<void> };

export async function smallServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<SmallServer> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
