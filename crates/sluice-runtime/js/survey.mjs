// Reads the shape of a component without its packages.

import { load, loadError } from "./component.mjs";
import { shapeOf } from "./shape.mjs";
import { giveRequired, giveStandIns } from "./stand_ins.mjs";
import { addTenant, removeTenant } from "./tenant.mjs";
import { flush, send, stringify } from "./wire.mjs";

const TENANT = 1;
let hasStandIns = false;
let hasNode = false;

/** Reports the shape of a module. One after the other may be asked for. */
export async function survey(module) {
  // Not before: this file is part of every process, and only a survey has stand-ins.
  if (!hasStandIns) giveStandIns();
  hasStandIns = true;
  if (module.node && !hasNode) giveRequired();
  hasNode ||= module.node;
  const { names } = addTenant(TENANT);
  try {
    const component = await load(module, names);
    send(TENANT, `{"t":"loaded","shapes":[${stringify(shapeOf(component))}]}`);
  } catch (error) {
    send(TENANT, `{"t":"failed","error":${stringify(loadError(error, names))}}`);
  }
  removeTenant(TENANT);
  flush();
}
