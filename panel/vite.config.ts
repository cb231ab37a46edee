import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const BACKEND = 'http://127.0.0.1:3000';

// Styles are 'unsafe-inline' because Mantine and CodeMirror insert style elements; scripts never are.
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self'",
  "img-src 'self' data: https:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ');

/** Only in the build: the development server's own client needs an inline script. */
const contentSecurityPolicy: Plugin = {
  name: 'trawl-content-security-policy',
  apply: 'build',
  transformIndexHtml: () => [
    {
      tag: 'meta',
      attrs: { 'http-equiv': 'Content-Security-Policy', content: CONTENT_SECURITY_POLICY },
      injectTo: 'head-prepend',
    },
  ],
};

export default defineConfig({
  base: '/panel/',
  plugins: [react(), contentSecurityPolicy],
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
      '^/(joint-api|apps|health)/': BACKEND,
      // The one path that is both a page (GET) and a call (POST).
      '^/panel/(login|logout)$': {
        target: BACKEND,
        bypass: request => (request.method === 'POST' ? undefined : request.url),
      },
      '/socket.io': { target: BACKEND, ws: true },
    },
  },
});
