import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { compression } from 'vite-plugin-compression2';

// `npm run dev` shows the console with a server that runs already; SLUICE_URL says where.
const server = process.env.SLUICE_URL ?? 'http://127.0.0.1:3000';

export default defineConfig({
  plugins: [svelte(), compression({ algorithms: ['brotliCompress', 'gzip'], threshold: 512 })],
  build: {
    target: 'es2023',
    // The policy of the page allows no scripts or styles in the document itself.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
  server: {
    // The server compares the origin with the host it was asked for, so the host is passed on as it is.
    proxy: Object.fromEntries(['/v1', '/e', '/openapi.json'].map((path) => [path, { target: server }])),
  },
});
