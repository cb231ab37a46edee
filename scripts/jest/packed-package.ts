import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** A line of the output of `npm pack --json`. */
interface Packed {
  name: string;
  filename: string;
}

/**
 * Returns the folders of all packages of the registry that a package needs, directly or not. Skips those that the
 * checkout lacks: optional ones for other platforms.
 */
function registryDependencies(directory: string): string[] {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const { resolve: resolveFrom } = createRequire(join(directory, 'package.json'));
  return Object.keys({ ...dependencies, ...optionalDependencies })
    .filter(name => !name.startsWith('@trawl/'))
    .flatMap(name => {
      const folder = resolveFrom
        .paths(name)
        ?.map(parent => join(parent, name))
        .find(existsSync);
      return folder ? [folder, ...registryDependencies(folder)] : [];
    });
}

/**
 * A package of this repository, packed and installed in an empty project. So the test sees what users of the package
 * get.
 * See docs/decisions/0096-libraries-are-commonjs.md.
 */
export class PackedPackage {
  private constructor(readonly folder: string) {}

  /**
   * Packs and installs built packages, without the network. Their dependencies from the registry come from the
   * `node_modules` of the checkout.
   *
   * @param directories of the packages, below the checkout
   */
  static async install(...directories: string[]): Promise<PackedPackage> {
    const folder = await mkdtemp(join(tmpdir(), 'trawl-packed-'));
    const project = new PackedPackage(folder);
    await project.write('package.json', '{ "private": true }');
    const paths = directories.map(directory => resolve(directory));
    const packed = await project.#npm(['pack', '--json', '--pack-destination', folder, ...paths]);
    const archives = (JSON.parse(packed) as Packed[]).map(({ name, filename }) => ({
      name,
      file: join(folder, filename),
    }));
    const dependencies = [...new Set(paths.flatMap(registryDependencies))];
    if (isFullTest) {
      const offline = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--install-links'];
      await project.#npm(['install', ...offline, ...archives.map(({ file }) => file), ...dependencies]);
    } else {
      for (const archive of archives) await project.#unpack(archive);
      for (const dependency of dependencies) await project.#link(dependency);
    }
    return project;
  }

  /** Does the work of `npm install`, which takes five times the processor time of `npm pack`. */
  async #unpack({ name, file }: { name: string; file: string }): Promise<void> {
    const place = join(this.folder, 'node_modules', name);
    await mkdir(place, { recursive: true });
    await execute('tar', ['-xzf', file, '--strip-components=1', '-C', place]);
    const { bin = {} } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
    for (const [command, program] of Object.entries<string>(bin))
      await this.#symlink(join(place, program), join('.bin', command));
  }

  async #link(dependency: string): Promise<void> {
    const { name } = JSON.parse(readFileSync(join(dependency, 'package.json'), 'utf8'));
    await this.#symlink(dependency, name);
  }

  async #symlink(target: string, place: string): Promise<void> {
    const path = join(this.folder, 'node_modules', place);
    await mkdir(dirname(path), { recursive: true });
    await symlink(target, path);
  }

  async write(file: string, text: string): Promise<void> {
    await writeFile(join(this.folder, file), text);
  }

  /** Runs a file with Node.js. Resolves to what it printed. */
  async run(file: string): Promise<string> {
    const { stdout } = await execute(process.execPath, [file], { cwd: this.folder });
    return stdout;
  }

  /**
   * Writes the first example of a package's README, a skript, to `main.js`, and runs it as a CommonJS module and as an
   * ES module.
   *
   * @param directory of the package, below the checkout
   * @param call code that calls `main`
   * @returns what each of the two printed
   */
  async runReadmeExample(directory: string, call: string): Promise<string[]> {
    const readme = await readFile(join(directory, 'README.md'), 'utf8');
    const [, example = ''] = /```js\n(.*?)```/s.exec(readme) ?? [];
    const asModule = example
      .replace(/const (\{.*\}) = require\((.*)\)/, 'import $1 from $2')
      .replace('module.exports =', 'const main =');
    await this.write('main.js', example);
    await this.write('run.cjs', `const main = require('./main.js'); ${call}`);
    await this.write('run.mjs', `${asModule} ${call}`);
    return [await this.run('run.cjs'), await this.run('run.mjs')];
  }

  /** Checks TypeScript files with strict compiler settings. Resolves to the compiler's errors. */
  async typeErrors(files: string[]): Promise<string> {
    const compiler = resolve('node_modules/typescript/bin/tsc');
    const types = ['--types', 'node', '--typeRoots', resolve('node_modules/@types')];
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', ...types];
    return execute(process.execPath, [compiler, ...options, ...files], { cwd: this.folder }).then(
      ({ stdout }) => stdout,
      error => error.stdout,
    );
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  /** npm's cache is in the project, so that a test leaves no files in the user's home folder. */
  async #npm(args: string[]): Promise<string> {
    const env = { ...process.env, npm_config_cache: join(this.folder, 'npm-cache') };
    const { stdout } = await execute('npm', args, { cwd: this.folder, env });
    return stdout;
  }
}
