// A running receiver of webhooks.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Starts a program and waits until it listens on the port. */
export async function start({ program, args, folder, port, environment }) {
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...environment, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const keep = (chunk) => {
    output += chunk;
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  child.on("error", keep);
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  for (let tries = 0; tries < 200; tries += 1) {
    if (child.exitCode !== null || child.pid === undefined) break;
    if (await isListening(port)) return { stop, output: () => output, url: `http://127.0.0.1:${port}/` };
    await sleep(100);
  }
  await stop();
  throw new Error(`${program} does not listen on the port:\n${output}`);
}

function isListening(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
