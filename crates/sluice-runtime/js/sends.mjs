// `$.send`: requests that are sent when the run has ended. Parameters are checked here, so that the calling code gets the error.

import { isObject } from "./shape.mjs";
import { text } from "./texts.mjs";
import { stringify } from "./wire.mjs";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** `send(kind, payload)` gets the checked parameters. */
export function sender(send) {
  return {
    async http(config) {
      const { method, url, data, headers, params, auth } = asObject("http", config);
      check("http", "method", method, METHODS.includes(method));
      check("http", "url", url, isWebAddress(url));
      check("http", "headers", headers, headers === undefined || isRecord(headers));
      check("http", "params", params, params === undefined || isRecord(params));
      check("http", "auth", auth, auth === undefined || isLogin(auth));
      send("http", { method, url: String(url), data, headers, params, auth });
    },
    async email(config) {
      const { subject, text, html } = asObject("email", config);
      for (const [field, value] of Object.entries({ subject, text, html })) {
        check("email", field, value, value === undefined || value === null || typeof value === "string");
      }
      send("email", { subject, text, html });
    },
    async s3(config) {
      const { bucket, prefix, payload } = asObject("s3", config);
      check("s3", "bucket", bucket, isText(bucket));
      check("s3", "prefix", prefix, isText(prefix));
      check("s3", "payload", payload, isGiven(payload));
      send("s3", { bucket, prefix, payload });
    },
    /** `emit(event, channel)`, and the older `emit({raw_event})`. */
    async emit(...args) {
      const older = args.length === 1 && isObject(args[0]) && Object.hasOwn(args[0], "raw_event");
      const [event, channel] = older ? [args[0].raw_event] : args;
      check("emit", "raw_event", event, isGiven(event));
      check("emit", "channel", channel, channel === undefined || channel === null || isChannel(channel));
      const name = channel === undefined || channel === null || channel === "default" ? "" : text(channel);
      send("emit", { raw_event: event, channel: name });
    },
    async sse(config) {
      const { channel, payload } = asObject("sse", config);
      check("sse", "channel", channel, isText(channel) && isChannel(channel));
      check("sse", "payload", payload, isGiven(payload));
      send("sse", { channel: text(channel), payload });
    },
  };
}

function asObject(name, config) {
  if (!isObject(config)) throw new TypeError(`$send.${name}: invalid value ${shown(config)} for its parameters`);
  return config;
}

function check(name, field, value, sound) {
  if (!sound) throw new TypeError(`$send.${name}: invalid value ${shown(value)} for ${field}`);
}

function shown(value) {
  try {
    return isObject(value) ? stringify(value) : String(value);
  } catch {
    return "[unprintable]";
  }
}

// Whether a value has a JSON form, as far as can be checked without serializing it.
function isGiven(value) {
  return !["undefined", "function", "symbol"].includes(typeof value);
}

function isText(value) {
  return typeof value === "string" && value !== "";
}

function isRecord(value) {
  return isObject(value) && !Array.isArray(value);
}

function isLogin(auth) {
  return isRecord(auth) && [auth.username, auth.password].every((part) => (part ?? "") === "" || isText(part));
}

// Names that begin with $ are reserved.
function isChannel(value) {
  return typeof value === "string" && !value.startsWith("$");
}

function isWebAddress(url) {
  try {
    return /^https?:$/.test(new URL(url).protocol);
  } catch {
    return false;
  }
}
