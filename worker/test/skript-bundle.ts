import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { withRunFiles } from '@trawl/contracts';
import { build } from 'esbuild';

/**
 * Bundles a skript as the platform does. The bundle is CommonJS code with an inline source map that contains the
 * skript's file names.
 */
export async function bundleOf(files: Record<string, string>): Promise<{ hash: string; code: string }> {
  const result = await build({
    entryPoints: ['main.js'],
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    sourcemap: 'inline',
    outfile: 'skript.js',
    logLevel: 'silent',
    metafile: true,
    plugins: [
      {
        name: 'files-in-memory',
        setup(set) {
          set.onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
            if (kind !== 'entry-point' && !path.startsWith('.')) return { path, external: true };
            const name = posix.join(posix.dirname(importer.replace(/^skript:/, '')), path);
            return { path: name, namespace: 'skript' };
          });
          set.onLoad({ filter: /.*/, namespace: 'skript' }, ({ path }) => ({ contents: files[path] ?? '' }));
        },
      },
    ],
  });
  const text = result.outputFiles[0]?.text ?? '';
  // Remove the prefix that the bundler puts before the names of the source files.
  const bundle = text.replace(/(sourceMappingURL=data:application\/json;base64,)(\S+)/, (_all, head, map) => {
    const parsed = JSON.parse(Buffer.from(map, 'base64').toString());
    parsed.sources = parsed.sources.map((source: string) => source.replace(/^skript:/, ''));
    return head + Buffer.from(JSON.stringify(parsed)).toString('base64');
  });
  const imported = Object.keys(result.metafile.inputs).map(name => name.replace(/^skript:/, ''));
  const unreached = Object.entries(files).filter(([name]) => !imported.includes(name));
  const code = withRunFiles(
    bundle,
    unreached.map(([name, content]) => ({ name, content })),
  );
  return { hash: createHash('sha256').update(code).digest('hex'), code };
}
