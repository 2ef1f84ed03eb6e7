// The tenants of this process: the sources or the workflow whose code it runs. Most processes have one. Several sources with
// self-contained code may share a process. Each has its own copy of its modules, its own key-value store and its own names of
// files.

import { FileNames } from "./errors.mjs";
import { Store } from "./store.mjs";

const tenants = new Map();
let shared = false;

class Tenant {
  // Component code may get hold of this object, and must not be able to report for another one.
  #number;
  names = new FileNames();
  store = new Store();
  /** By name: the component of a source, or the steps of a workflow. */
  modules = new Map();
  /** Callbacks of a tenant that has left do not run. */
  left = false;

  constructor(number) {
    this.#number = number;
  }

  get number() {
    return this.#number;
  }
}

export function addTenant(number) {
  const tenant = new Tenant(number);
  tenants.set(number, tenant);
  shared ||= tenants.size > 1;
  return tenant;
}

export function tenantOf(number) {
  return tenants.get(number);
}

export function removeTenant(number) {
  const tenant = tenants.get(number);
  if (tenant === undefined) return;
  tenant.left = true;
  tenants.delete(number);
}

/** The only tenant that this process ever had. */
export function soleTenant() {
  return shared ? undefined : tenants.values().next().value;
}

/** The tenant whose files are in the stack of an error. */
export function tenantInStack(error) {
  const stack = stackOf(error);
  for (const tenant of tenants.values()) {
    if (tenant.names.areIn(stack)) return tenant;
  }
  return undefined;
}

// Properties of a thrown value may throw.
function stackOf(error) {
  try {
    return String(error?.stack);
  } catch {
    return "";
  }
}
