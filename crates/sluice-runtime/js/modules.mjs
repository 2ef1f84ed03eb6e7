// The modules of a tenant: the component of a source, or the steps of a workflow.

import { load, loadError } from "./component.mjs";
import { authorize, instanceMaker } from "./instance.mjs";
import { shapeOf } from "./shape.mjs";

/** Loads all modules of a tenant. Returns their shapes, or throws a `LoadFailure`. */
export async function loadModules({ modules, names }, specs, { steps, inWorkflow, process, secrets }) {
  const shapes = [];
  for (const { name, props, ...files } of specs) {
    try {
      const component = await load({ ...files, acceptsFunctions: steps }, names);
      const keyPrefix = inWorkflow ? `${name}/` : "";
      const makeInstance = instanceMaker(component, props, { inWorkflow, keyPrefix, process, secrets });
      modules.set(name, { name, component, props, makeInstance });
      shapes.push(shapeOf(component));
    } catch (error) {
      throw new LoadFailure(loadError(error, names), specs.length > 1 ? name : undefined);
    }
  }
  return shapes;
}

/** The error of a module that did not load, with its name if there are several. */
class LoadFailure extends Error {
  constructor(error, name) {
    super();
    this.error = error;
    if (name !== undefined) this.error.message = `step ${name}: ${this.error.message}`;
  }
}

export function moduleNamed({ modules }, name) {
  const module = modules.get(name);
  if (module === undefined) throw new Error(`there is no step ${name}`);
  return module;
}

/** The component of a source. */
export function soleModule({ modules }) {
  return modules.values().next().value;
}

/** The tenant is undefined if it has left. */
export function authorizeModule(tenant, name, auths) {
  const module = tenant?.modules.get(name);
  if (module !== undefined) authorize(module.props, auths);
}
