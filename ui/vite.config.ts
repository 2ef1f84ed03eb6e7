import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { compression } from 'vite-plugin-compression2';

// `npm run dev` uses a running server; SLUICE_URL is its address.
const server = process.env.SLUICE_URL ?? 'http://127.0.0.1:3000';

export default defineConfig({
  plugins: [
    svelte(),
    compression({ algorithms: ['brotliCompress', 'gzip'], threshold: 0, skipIfLargerOrEqual: false }),
  ],
  build: {
    target: 'es2023',
    // The content security policy allows no inline scripts or styles.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
  server: {
    // The server compares the origin with the host, so the host header is kept.
    proxy: Object.fromEntries(['/v1', '/e', '/app-icons', '/openapi.json'].map((path) => [path, { target: server }])),
  },
});
