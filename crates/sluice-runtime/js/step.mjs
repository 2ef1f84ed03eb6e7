// `$` of a step: exports, flow control, and sends.

import { gathered, isStream, replyFields } from "./reply.mjs";
import { sender } from "./sends.mjs";
import { text } from "./texts.mjs";
import { stringify } from "./wire.mjs";

const DAY_MS = 24 * 3600 * 1000;
const LONGEST_PAUSE_MS = 365 * DAY_MS;
const MOST_RETRIES = 2 ** 31 - 1;

export function stepTools(invocation, { context, resume_url, cancel_url }) {
  const pause = (fields) => {
    invocation.setFlow(fields);
    return { resume_url, cancel_url };
  };
  return {
    export: (name, value) => invocation.export(name, value),
    async respond(reply) {
      const fields = replyFields(isStream(reply?.body) ? await gathered(reply) : reply);
      if (invocation.isOver("$.respond")) return;
      if (reply.immediate) invocation.respond(fields);
      else invocation.respondAtEnd(fields);
    },
    flow: {
      exit(reason) {
        const told = reason === undefined || reason === null ? "" : `,"reason":${stringify(text(reason))}`;
        invocation.setFlow(`"k":"exit"${told}`);
      },
      delay: (ms) => pause(`"k":"delay","ms":${pauseMs("delay", ms)}`),
      suspend: (ms) => pause(`"k":"suspend","ms":${pauseMs("suspend", ms ?? DAY_MS)}`),
      rerun(ms, given, maxRetries = 10) {
        const length = pauseMs("rerun", ms);
        if (!Number.isInteger(maxRetries) || maxRetries < 0 || maxRetries > MOST_RETRIES) {
          throw new RangeError(`$.flow.rerun: invalid value ${String(maxRetries)} for maxRetries`);
        }
        return pause(`"k":"rerun","ms":${length},"max":${maxRetries},"context":${invocation.kept(given)}`);
      },
    },
    send: sender((kind, payload) => invocation.send(kind, payload)),
    context: { ...context, deadline: Date.now() + invocation.timeoutMs },
  };
}

function pauseMs(name, value) {
  const ms = Math.ceil(typeof value === "string" || typeof value === "number" ? Number(value) : Number.NaN);
  if (ms >= 1 && ms <= LONGEST_PAUSE_MS) return ms;
  throw new RangeError(`$.flow.${name}: invalid value ${String(value)} for ms: it must be from 1 ms to 1 year`);
}
