// The icon of an app: an image of this server, or its first letters.
import type { App } from '../api/types';

export type AppLook = Pick<App, 'name' | 'img_src'>;

/** The path of the image. Its origin is the public URL of the server, which can differ from the one of this page. */
export function iconPath(src: string | null | undefined): string | undefined {
  if (!src || !URL.canParse(src, 'http://server')) return undefined;
  const { pathname, search } = new URL(src, 'http://server');
  return pathname + search;
}

/** The first letters of the first two words, or of the only one. */
export function monogram(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const initials = words.slice(0, 2).map((word) => [...word][0] ?? '');
  return initials.join('').toUpperCase() || '?';
}
