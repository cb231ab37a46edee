import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { RUN_NODES, withRunFiles, withRunNode } from '@trawl/contracts';
import { chooseNode } from '@trawl/libraries';
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
    target: 'node22',
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
  const withFiles = withRunFiles(
    bundle,
    unreached.map(([name, content]) => ({ name, content })),
  );
  const { engines } = JSON.parse(files['package.json'] ?? '{}');
  const isFor22 = chooseNode(engines?.node ?? '*', Object.values(RUN_NODES)) === RUN_NODES[22];
  const code = withRunNode(withFiles, isFor22 ? 22 : 24);
  return { hash: createHash('sha256').update(code).digest('hex'), code };
}
