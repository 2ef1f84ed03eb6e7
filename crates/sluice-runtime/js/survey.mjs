// Reads the shape of a component without its packages.

import { load, loadError } from "./component.mjs";
import { shapeOf } from "./shape.mjs";
import { giveStandIns } from "./stand_ins.mjs";
import { addTenant } from "./tenant.mjs";
import { flush, send, stringify } from "./wire.mjs";

/** Reports the shape of the only module of this process. */
export async function survey(module) {
  giveStandIns();
  const { names } = addTenant(1);
  try {
    const component = await load({ ...module, node: true }, names);
    send(1, `{"t":"loaded","shapes":[${stringify(shapeOf(component))}]}`);
  } catch (error) {
    send(1, `{"t":"failed","error":${stringify(loadError(error, names))}}`);
  }
  flush();
}
