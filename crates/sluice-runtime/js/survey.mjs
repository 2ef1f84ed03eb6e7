// Reads the shapes of many components in one process, one after the other.

import { load, loadError } from "./component.mjs";
import { shapeOf } from "./shape.mjs";
import { giveStandIns } from "./stand_ins.mjs";
import { flush, send, stringify } from "./wire.mjs";

const { getOwnPropertyDescriptor, ownKeys } = Reflect;

/**
 * Reports the shape of each file as soon as it is known. A file that changes shared state is the last one, because it would
 * affect the others.
 */
export async function survey(files) {
  giveStandIns();
  const before = picture();
  for (const file of files) {
    const told = await look(file);
    const spoiled = before.some(hasChanged);
    send(`{"t":"surveyed","spoiled":${spoiled},${told}}`);
    flush();
    if (spoiled) return;
  }
}

async function look(file) {
  try {
    const component = await load({ name: "component", file });
    return `"shapes":[${stringify(shapeOf(component))}]`;
  } catch (error) {
    return `"error":${stringify(loadError(error))}`;
  }
}

/** A snapshot of the globals, their values and prototypes, each with its properties. */
function picture() {
  const watched = new Set([globalThis]);
  for (const key of ownKeys(globalThis)) {
    const value = getOwnPropertyDescriptor(globalThis, key).value;
    if (!isWatchable(value)) continue;
    watched.add(value);
    const prototype = getOwnPropertyDescriptor(value, "prototype")?.value;
    if (isWatchable(prototype)) watched.add(prototype);
  }
  return [...watched].map((object) => {
    const properties = ownKeys(object).map((key) => ({ key, ...getOwnPropertyDescriptor(object, key) }));
    return { object, properties };
  });
}

function hasChanged({ object, properties }) {
  if (ownKeys(object).length !== properties.length) return true;
  return properties.some(({ key, value, get, set }) => {
    const now = getOwnPropertyDescriptor(object, key);
    return now === undefined || !Object.is(now.value, value) || now.get !== get || now.set !== set;
  });
}

function isWatchable(value) {
  return typeof value === "function" || (typeof value === "object" && value !== null);
}
