/** The configuration of a component is wrong. The name decides how the error is shown. */
export class ConfigurationError extends Error {
  name = "ConfigurationError";
}
