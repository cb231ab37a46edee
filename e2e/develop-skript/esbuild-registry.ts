import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { RegistryStandIn } from '@trawl/libraries/registry-stand-in';

/** Opens an npm registry that has esbuild from the checkout: the only library that npm installs for the command line. */
export async function openEsbuildRegistry(): Promise<RegistryStandIn> {
  const registry = new RegistryStandIn();
  await registry.open();
  const { resolve: find } = createRequire(resolve('packages/cli/package.json'));
  const esbuild = dirname(find('esbuild/package.json'));
  const platform = `@esbuild/${process.platform}-${process.arch}`;
  const binary = dirname(createRequire(join(esbuild, 'package.json')).resolve(`${platform}/package.json`));
  const { version } = manifestOf(esbuild);
  const optionalDependencies = { [platform]: version };
  registry.publish('esbuild', {
    version,
    files: filesBelow(esbuild, 'lib'),
    manifest: { main: 'lib/main.js', optionalDependencies },
  });
  // npm makes only the files in `bin` executable.
  registry.publish(platform, { version, files: filesBelow(binary, 'bin'), manifest: { bin: 'bin/esbuild' } });
  return registry;
}

const manifestOf = (folder: string): { version: string } =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

function filesBelow(root: string, folder: string): Record<string, Buffer> {
  const names = readdirSync(join(root, folder)).map(name => `${folder}/${name}`);
  const files = names.filter(name => statSync(join(root, name)).isFile());
  return Object.fromEntries(files.map(name => [name, readFileSync(join(root, name))]));
}
