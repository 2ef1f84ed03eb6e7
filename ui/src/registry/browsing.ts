/** The state of a browser of components: a text, one app, or all apps or components. */
export type Browsing = { q: string; app: string; view: 'apps' | 'components' };
