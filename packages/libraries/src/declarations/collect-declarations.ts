import { posix } from 'node:path';
import { declarationIn, entryOf, subpathsOf } from './package-entries.js';

/** The declaration files of libraries. */
export interface Declarations {
  /** Texts by path, such as `node_modules/a/index.d.ts`. */
  files: Record<string, string>;
  /** Why the declarations of a library are missing, by the library's name. */
  leftOut: Record<string, string>;
}

/** The declaration files and the `package.json` files of a package, by their path in the package. */
export type PackageTexts = ReadonlyMap<string, string>;

/** How much of a package is read, and how much is collected of all libraries. */
export const DECLARATION_LIMITS = {
  /** Characters and files of all libraries together. An editor reads them all. */
  chars: 4 * 1024 * 1024,
  files: 4_000,
  /** Characters and files of one package. */
  packageChars: 16 * 1024 * 1024,
  packageFiles: 20_000,
  /** Characters of all packages that are read. They are in memory at the same time. */
  readChars: 128 * 1024 * 1024,
  /** Longer files are ignored. */
  fileChars: 2 * 1024 * 1024,
};

/** Thrown for a package with more declarations than `DECLARATION_LIMITS` allows. The message is for users. */
export class TooManyDeclarations extends Error {}

/** Types that the editor has, of the version of Node that runs have. */
const OF_EDITOR = /^(?:node|node:.*|@types\/node|undici-types)$/;
/** Matches the names of modules that a file imports. The numbers keep a hostile text from taking long. */
const IMPORTED = /\b(?:from|import|require)\s{0,9}\(?\s{0,9}(['"])([^'"\s]{1,300})\1/g;
const REFERENCED = /<reference\s{1,9}(types|path)\s{0,9}=\s{0,9}['"]([^'"\s]{1,300})['"]/g;

/** Returns the name of the package with the types of a library that has none itself. */
export const typesNameOf = (library: string): string => `@types/${library.replace(/^@/, '').replace('/', '__')}`;

/** Collects the declarations that can be reached from libraries. */
export class DeclarationCollector {
  readonly #files = new Map<string, string>();
  #chars = 0;

  /**
   * @param folders folders of all packages, such as `node_modules/a/node_modules/b`
   * @param read reads a package; throws `TooManyDeclarations`
   */
  constructor(
    private readonly folders: ReadonlySet<string>,
    private readonly read: (folder: string) => Promise<PackageTexts>,
  ) {}

  /** Collects the declarations of libraries as long as they fit, in this order. */
  async collect(libraries: readonly string[]): Promise<Declarations> {
    const leftOut = new Map<string, string>();
    for (const library of libraries) {
      const message = await this.#add(library, '');
      if (message !== null) leftOut.set(library, message);
    }
    // Parts of libraries, such as `date-fns/locale`, come after everything that code imports by the library's name.
    for (const library of libraries) if (!leftOut.has(library)) await this.#addParts(library);
    return { files: Object.fromEntries(this.#files), leftOut: Object.fromEntries(leftOut) };
  }

  async #addParts(library: string): Promise<void> {
    for (const folder of this.#foldersOf(library, '')) {
      for (const part of subpathsOf(await this.read(folder))) {
        if ((await this.#add(library, part)) !== null) return;
      }
    }
  }

  /** Adds all that a module reaches, or nothing. Returns why it does not fit; null if it does. */
  async #add(library: string, part: string): Promise<string | null> {
    const found = new Map<string, string>();
    try {
      await this.#follow(part === '' ? library : `${library}/${part}`, '', found);
    } catch (error) {
      if (error instanceof TooManyDeclarations) return error.message;
      throw error;
    }
    for (const [path, text] of found) {
      this.#files.set(path, text);
      this.#chars += text.length;
    }
    return null;
  }

  async #follow(module: string, from: string, found: Map<string, string>): Promise<void> {
    let chars = this.#chars;
    const waiting = [{ module, from }];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const file = await this.#resolve(next.module, next.from);
      if (file === null) continue;
      for (const [path, text] of [[file.path, file.text] as const, ...file.manifests]) {
        if (this.#files.has(path) || found.has(path)) continue;
        found.set(path, text);
        chars += text.length;
        const { chars: maxChars, files: maxFiles } = DECLARATION_LIMITS;
        if (chars > maxChars || this.#files.size + found.size > maxFiles) {
          throw new TooManyDeclarations(
            `The types of this library do not fit into the ${maxChars / 1024 / 1024} MiB and ${maxFiles} files that the editor has for all libraries of a skript, so its values accept anything.`,
          );
        }
        if (path === file.path) waiting.push(...importsIn(text).map(name => ({ module: name, from: path })));
      }
    }
  }

  /** Finds the declarations of a module that a file imports, and the `package.json` files above them. */
  async #resolve(
    module: string,
    from: string,
  ): Promise<{ path: string; text: string; manifests: [string, string][] } | null> {
    const isRelative = /^\.\.?(?:\/|$)/.test(module);
    const folders = isRelative ? [folderOf(from)] : this.#foldersOf(module, from);
    for (const folder of folders) {
      const texts = await this.read(folder);
      const file = isRelative
        ? declarationIn(texts, posix.join(posix.dirname(from.slice(folder.length + 1)), module))
        : entryOf(texts, partOf(module));
      if (file === null) continue;
      const manifests: [string, string][] = [];
      for (let above = posix.dirname(file); ; above = posix.dirname(above)) {
        const manifest = posix.join(above, 'package.json');
        const text = texts.get(manifest);
        if (text !== undefined) manifests.push([`${folder}/${manifest}`, text]);
        if (above === '.') break;
      }
      return { path: `${folder}/${file}`, text: texts.get(file) ?? '', manifests };
    }
    return null;
  }

  /** The folders that may have the types of a module, as Node and TypeScript look for them: upwards from the file. */
  #foldersOf(module: string, from: string): string[] {
    const name = nameOf(module);
    if (OF_EDITOR.test(name)) return [];
    const names = name.startsWith('@types/') ? [name] : [name, typesNameOf(name)];
    const found: string[] = [];
    for (let above = folderOf(from); ; above = above.slice(0, Math.max(0, above.lastIndexOf('/node_modules/')))) {
      const start = above === '' ? '' : `${above}/`;
      found.push(...names.map(each => `${start}node_modules/${each}`).filter(folder => this.folders.has(folder)));
      if (above === '') return found;
    }
  }
}

const nameOf = (module: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(module)?.[0] ?? module;

const partOf = (module: string): string => module.slice(nameOf(module).length + 1);

/** Returns the folder of the package that a file belongs to. */
const folderOf = (path: string): string => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? '';

function importsIn(text: string): string[] {
  const imported = [...text.matchAll(IMPORTED)].map(([, , name = '']) => name);
  const referenced = [...text.matchAll(REFERENCED)].map(([, kind, name = '']) =>
    kind === 'path' && !name.startsWith('.') ? `./${name}` : name,
  );
  return [...imported, ...referenced];
}
