import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const BACKEND = process.env.TRAWL_BACKEND_URL ?? 'http://127.0.0.1:3000';

export default defineConfig({
  base: '/panel/',
  plugins: [react()],
  build: {
    outDir: 'dist/app',
    emptyOutDir: true,
    // Inline no assets as `data:` URLs, because the content security policy blocks such URLs for fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The editor is one chunk of about 520 kB, which loads when a skript is opened.
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      onwarn(warning, warn) {
        // Hide the warnings about "use client" in Mantine's modules. The directive has no effect here.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  server: {
    proxy: {
      '^/(joint-api|apps|health|www)/': BACKEND,
      '^/(ip|openapi.json)$': BACKEND,
      // With GET these paths are pages of the panel; only POST requests go to the backend.
      '^/panel/(login|logout)$': {
        target: BACKEND,
        bypass: request => (request.method === 'POST' ? undefined : request.url),
      },
      '/socket.io': { target: BACKEND, ws: true },
    },
  },
});
