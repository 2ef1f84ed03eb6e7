// The secrets of a document, for the fields of a form.
import { getContext, setContext } from 'svelte';

export type SecretAccess = {
  /** The names that the document declares. */
  names: () => string[];
  /** Declares a secret. Returns whether the document could be changed. */
  declare: (name: string) => boolean;
};

const KEY = Symbol('secrets');
const NAME = /^(?!PIPEDREAM_)[A-Za-z_][A-Za-z0-9_]*$/;

export function provideSecrets(access: SecretAccess) {
  setContext(KEY, access);
}

export function secretAccess(): SecretAccess {
  return getContext(KEY);
}

export function isSecretName(name: string): boolean {
  return NAME.test(name);
}

/** A name for the secret of a prop, such as `API_KEY` for `apiKey`. */
export function secretNameFor(prop: string): string {
  const words = prop.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[^A-Za-z0-9]+/g, '_');
  return words.toUpperCase().replace(/^(?=\d|PIPEDREAM_)/, 'MY_');
}
