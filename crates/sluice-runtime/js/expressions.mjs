// Prop values with `{{ … }}`. The supervisor splits them. They are compiled once here and evaluated for each step.

import { stringify } from "./wire.mjs";

const MakeFunction = globalThis.Function;

/** The error of an expression, with which the step fails. */
class ExpressionError extends Error {
  name = "ExpressionError";

  constructor(prop, source, cause) {
    super(`prop ${prop}: {{ ${source} }} failed: ${cause}`, { cause });
    this.prop = prop;
  }
}

/** A function of `{event, steps, process}` that makes the value of a prop. */
export function valueMaker(prop, template) {
  if ("x" in template) return expression(prop, template.x);
  if ("p" in template) return text(template.p.map((part) => textPart(prop, part)));
  if ("a" in template) {
    const items = template.a.map((item) => valueMaker(prop, item));
    return (scope) => items.map((make) => make(scope));
  }
  if ("o" in template) {
    const fields = template.o.map(([key, value]) => [key, valueMaker(prop, value)]);
    return (scope) => {
      const made = fields.map(([key, make]) => [key, make(scope)]);
      return Object.fromEntries(made.filter(([, value]) => value !== undefined));
    };
  }
  return () => structuredClone(template.v);
}

function expression(prop, source) {
  const evaluate = compiled(source);
  return ({ event, steps, process }) => {
    try {
      return evaluate(event, steps, process);
    } catch (error) {
      throw new ExpressionError(prop, source, error);
    }
  };
}

// An expression that does not compile only fails its own step, when that runs.
function compiled(source) {
  try {
    return new MakeFunction("event", "steps", "process", `"use strict";return(${source}\n)`);
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function textPart(prop, part) {
  return typeof part === "string" ? () => part : expression(prop, part.x);
}

function text(parts) {
  return (scope) => parts.map((make) => inText(make(scope))).join("");
}

function inText(value) {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? (stringify(value) ?? "") : String(value);
}
