import { ConfigurationError } from "./errors.mjs";

/** A web address from a prop. Throws if it is not one. */
export function webAddress(text, label) {
  const url = URL.parse(String(text ?? "").trim());
  if (!isWebAddress(url)) {
    throw new ConfigurationError(`${label} must be a web address such as https://example.com/path, not "${text}"`);
  }
  return url;
}

/** The absolute form of a link in a document, or the text itself if it is no link. */
export function absoluteLink(text, base) {
  const link = String(text ?? "").trim();
  if (link === "") return undefined;
  return URL.parse(link, base)?.href ?? link;
}

export function isWebAddress(url) {
  return url !== null && (url.protocol === "http:" || url.protocol === "https:");
}
