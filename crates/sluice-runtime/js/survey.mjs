// Reads the shapes of many components in one process, one after the other.

import { load, loadError } from "./component.mjs";
import { shapeOf } from "./shape.mjs";
import { giveStandIns } from "./stand_ins.mjs";
import { flush, send, stringify } from "./wire.mjs";

const { getOwnPropertyDescriptor, ownKeys } = Reflect;

/**
 * Reports the shape of each module as soon as it is known. A module that changes shared state is the last one, because it
 * would affect the others.
 */
export async function survey(modules) {
  giveStandIns();
  const before = picture();
  for (const module of modules) {
    const told = await look(module);
    const spoiled = before.some(hasChanged);
    send(`{"t":"surveyed","spoiled":${spoiled},${told}}`);
    flush();
    if (spoiled) return;
  }
}

async function look(module) {
  try {
    const component = await load(module);
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
