import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const BACKEND = process.env.TRAWL_BACKEND_URL ?? 'http://127.0.0.1:3000';

export default defineConfig({
  base: '/panel/',
  plugins: [react()],
  build: {
    outDir: 'dist/app',
    emptyOutDir: true,
    // A data: address would be refused by the policy's font-src.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The editor, loaded when a skript is opened, is one chunk of about 520 kB.
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      onwarn(warning, warn) {
        // Mantine's modules carry "use client", which means nothing here.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  server: {
    proxy: {
      '^/(joint-api|apps|health|www)/': BACKEND,
      '^/(ip|openapi.json)$': BACKEND,
      // The one path that is both a page (GET) and a call (POST).
      '^/panel/(login|logout)$': {
        target: BACKEND,
        bypass: request => (request.method === 'POST' ? undefined : request.url),
      },
      '/socket.io': { target: BACKEND, ws: true },
    },
  },
});
