import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { libraryTypes } from './library-types.js';
import { skriptTemplates } from './skript-templates.js';

const BACKEND = process.env.TRAWL_BACKEND_URL ?? 'http://127.0.0.1:3000';

/** From this size on, the best quality takes seconds: 6.5 s for TypeScript, which it makes smaller by a tenth. */
const LARGE_BYTES = 600_000;

/** Compresses the built text files to `.br` and `.gz`, so that the server does not have to. Fonts are compressed already. */
const precompressed = (): Plugin => ({
  name: 'precompressed',
  apply: 'build',
  async writeBundle({ dir = '' }) {
    const names = (await readdir(dir, { recursive: true })).filter(name => /\.(css|html|js|svg)$/.test(name));
    await Promise.all(
      names.map(async name => {
        const path = join(dir, name);
        const content = await readFile(path);
        const quality = content.length > LARGE_BYTES ? 9 : constants.BROTLI_MAX_QUALITY;
        const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
        await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params }));
        await writeFile(`${path}.gz`, await promisify(gzip)(content));
      }),
    );
  },
});

/**
 * Gives Mantine's ScrollArea, which each modal contains, another `useMergeRefs`. Its own is in the 14 kB of Floating UI,
 * which the first screen needs for nothing else.
 */
const slimScrollArea = (): Plugin => ({
  name: 'slim-scroll-area',
  apply: 'build',
  enforce: 'pre',
  resolveId: (source, importer) =>
    source === '@floating-ui/react' && importer?.endsWith('/ScrollArea.mjs')
      ? join(import.meta.dirname, 'src/components/merge-refs.ts')
      : null,
});

export default defineConfig({
  base: '/panel/',
  plugins: [react(), slimScrollArea(), skriptTemplates(), precompressed()],
  // The worker of the code editor loads types when it needs them, which only ES modules can.
  worker: { format: 'es', plugins: () => [libraryTypes()] },
  build: {
    outDir: 'dist/app',
    emptyOutDir: true,
    // Inline no assets as `data:` URLs, because the content security policy blocks such URLs for fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // TypeScript is one chunk of about 3.5 MB, which loads when somebody works in the code editor.
    chunkSizeWarningLimit: 4000,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\//, priority: 2 },
            // Every screen needs these. One chunk is smaller than many, also in the list of chunks.
            {
              name: 'basics',
              test: /@mantine\/core\/esm\/components\/(Button|CloseButton|Loader|Portal)\/|\/src\/components\/lazy-screen\./,
              priority: 1,
            },
            // The dashboard and nearly all lists need these.
            {
              name: 'values',
              test: /\/src\/components\/chart\/(axis-top|bar-plot)\.|\/src\/components\/values\/(status|time-text|duration-text)\.|\/src\/api\/requests\/list-(executions|schedules|workers)\.|\/contracts\/(src|dist)\/executions\./,
              priority: 1,
            },
            // Only select boxes, menus and tooltips need it, which the dashboard does without.
            { name: 'floating', test: /node_modules\/@floating-ui\//, priority: 1 },
          ],
        },
      },
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
