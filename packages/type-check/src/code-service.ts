import { BUILT_IN_LIBRARIES, libraryAliases } from '@trawl/contracts';
import ts from 'typescript';
import type {
  CallHint,
  CodeFile,
  CodeProblem,
  CodeQuestions,
  LocatedProblem,
  LocatedText,
  Suggestion,
  Suggestions,
  SymbolText,
} from './code-questions.js';
import { type FilesOnDisk, LibraryFiles, type LibraryTypes, NO_LIBRARIES } from './library-files.js';
import { dependenciesIn, importsIn, importsOf, moduleNameAt, relativePath } from './module-names.js';
import { isWorthSaying } from './obvious-problems.js';
import { FOLDER, readOptions, type SkriptOptions } from './skript-options.js';
import { type PackName, packsFor, type TypePack } from './type-packs.js';

const IS_CODE = /\.[cm]?[jt]sx?$/;
/** Codes of problems with modules that have no types, or that are not there. */
const UNKNOWN_MODULE = new Set([2307, 2792, 2882, 7016]);
/** Code of the problem that `tsconfig.json` extends one that is not there, such as that of a library. */
const UNKNOWN_CONFIG = 6053;
/** Codes of problems with `import … = require` and `export =`, which Trawl's bundler knows. */
const UNDERSTOOD = new Set([1202, 1203]);
const MAX_SUGGESTIONS = 500;
const MESSAGE_CHARS = 400;

const TYPE_OF_KIND: Record<string, string> = {
  method: 'method',
  function: 'function',
  'local function': 'function',
  class: 'class',
  interface: 'interface',
  type: 'type',
  const: 'constant',
  keyword: 'keyword',
  module: 'namespace',
  script: 'namespace',
  property: 'property',
  getter: 'property',
  'enum member': 'enum',
};

/** Declarations of the language and of Node that every file sees without an import. */
const isGlobal = (path: string): boolean => path.startsWith('/lib/') || path.includes('/@types/node/');

const typeOf = (kind: string): string => TYPE_OF_KIND[kind] ?? 'variable';

/** Members of the file's own things come first, then others in TypeScript's order, keywords last. */
function boostOf({ sortText, kind }: ts.CompletionEntry): number {
  if (kind === ts.ScriptElementKind.keyword) return -50;
  return Math.max(-40, 11 - Number.parseInt(sortText, 10) || 0);
}

/**
 * Answers questions about code by TypeScript. It loads the types of a library when a file imports it. Keep version 6 of
 * TypeScript: version 7 has no API for browsers.
 */
export class CodeService implements CodeQuestions {
  /** Files by path; the version changes with the text. */
  readonly #files = new Map<string, { text: string; version: number }>();
  /** Paths of the skript's files whose texts the service does not have. */
  #unread = new Set<string>();
  readonly #loading = new Map<PackName, Promise<void>>();
  readonly #folders = new Set<string>(['/']);
  /** Texts of libraries that the service before this one has read. */
  readonly #registry = ts.createDocumentRegistry();
  #libraries = new LibraryFiles(NO_LIBRARIES);
  #service: ts.LanguageService;
  #version = 0;
  #options: SkriptOptions | null = null;

  /** @param disk has the libraries of the skript. Without it, `setLibraries` tells their types. */
  constructor(
    private readonly loadPack: (name: PackName) => Promise<TypePack>,
    private readonly disk?: FilesOnDisk,
  ) {
    this.#service = this.#newService();
  }

  #newService(): ts.LanguageService {
    return ts.createLanguageService(this.#host, this.#registry);
  }

  setLibraries(types: LibraryTypes): void {
    if (types.key === this.#libraries.key) return;
    this.#libraries = new LibraryFiles(types);
    this.#version += 1;
    this.#options = null;
    // A service keeps what it has found for a module, also that there is none.
    this.#service.dispose();
    this.#service = this.#newService();
  }

  setFiles(files: readonly CodeFile[], unread: readonly string[] = []): void {
    const paths = new Set(files.map(({ name }) => FOLDER + name));
    for (const path of this.#files.keys()) {
      if (path.startsWith(FOLDER) && !paths.has(path)) this.#files.delete(path);
    }
    this.#version += 1;
    this.#options = null;
    for (const { name, content } of files) this.#write(FOLDER + name, content);
    this.#unread = new Set(unread.map(name => FOLDER + name));
    for (const path of this.#unread) this.#addFolders(path);
  }

  async allProblems(files: readonly CodeFile[], unread: readonly string[] = []): Promise<LocatedProblem[]> {
    this.setFiles(files, unread);
    await this.#loadFor(files.filter(({ name }) => IS_CODE.test(name)).map(({ content }) => content));
    // A question about a file that the user has opened meanwhile may have replaced them.
    this.setFiles(files, unread);
    const { configName, roots, problems } = this.#skriptOptions();
    const program = this.#service.getProgram();
    const checked = new Set(roots);
    for (const path of checked) {
      const source = program?.getSourceFile(path);
      for (const imported of source ? this.#importsOf(source) : []) checked.add(imported);
    }
    const found = [...checked].sort().flatMap(path => {
      const source = program?.getSourceFile(path);
      return source ? this.#problemsOf(source).map(({ problem }) => problem) : [];
    });
    const ofConfig = problems.filter(({ code }) => this.disk || code !== UNKNOWN_CONFIG);
    return [...ofConfig, ...found].map(problem => toLocated(problem, configName));
  }

  async problems(file: CodeFile): Promise<CodeProblem[]> {
    const path = await this.#prepare(file);
    const source = this.#service.getProgram()?.getSourceFile(path);
    if (!source) return [];
    const found = this.#problemsOf(source).map(({ problem, severity }) => toProblem(problem, severity));
    const leftOut = importsOf(file.content).flatMap(({ name, from, to }) => {
      const message = this.#libraries.whyLeftOut(name);
      return message === null ? [] : [{ from, to, severity: 'info' as const, message }];
    });
    return [...found, ...leftOut];
  }

  async suggestions(file: CodeFile, position: number): Promise<Suggestions | null> {
    const path = await this.#prepare(file);
    const source = this.#service.getProgram()?.getSourceFile(path);
    const module = source && moduleNameAt(source, position);
    if (module) return { from: module.getStart() + 1, areModules: true, items: this.#modules(path) };
    const found = this.#service.getCompletionsAtPosition(path, position, { includeInsertTextCompletions: false });
    if (!found) return null;
    const from = found.optionalReplacementSpan?.start ?? file.content.slice(0, position).search(/[\w$]*$/);
    // The editor filters these while the user types more letters.
    const first = file.content.slice(from, position).charAt(0).toLowerCase();
    const items = found.entries
      .filter(({ name }) => name.toLowerCase().startsWith(first))
      .slice(0, MAX_SUGGESTIONS)
      .map(entry => ({ name: entry.name, type: typeOf(entry.kind), boost: boostOf(entry) }));
    return { from, areModules: false, items };
  }

  async suggestionText(file: CodeFile, position: number, name: string): Promise<SymbolText | null> {
    const path = await this.#prepare(file);
    const details = this.#service.getCompletionEntryDetails(path, position, name, {}, undefined, {}, undefined);
    if (!details) return null;
    return {
      signature: ts.displayPartsToString(details.displayParts),
      documentation: ts.displayPartsToString(details.documentation),
    };
  }

  async symbolText(file: CodeFile, position: number): Promise<LocatedText | null> {
    const path = await this.#prepare(file);
    const info = this.#service.getQuickInfoAtPosition(path, position);
    if (!info) return null;
    return {
      from: info.textSpan.start,
      to: info.textSpan.start + info.textSpan.length,
      signature: ts.displayPartsToString(info.displayParts),
      documentation: ts.displayPartsToString(info.documentation),
    };
  }

  async callHint(file: CodeFile, position: number, isAsked: boolean): Promise<CallHint | null> {
    const path = await this.#prepare(file);
    const triggerReason: ts.SignatureHelpTriggerReason = { kind: isAsked ? 'invoked' : 'retrigger' };
    const found = this.#service.getSignatureHelpItems(path, position, { triggerReason });
    const item = found?.items[found.selectedItemIndex];
    if (!found || !item) return null;
    const { argumentIndex: current } = found;
    const { prefixDisplayParts, suffixDisplayParts, separatorDisplayParts, parameters } = item;
    const texts = parameters.map(({ displayParts }) => ts.displayPartsToString(displayParts));
    const separator = ts.displayPartsToString(separatorDisplayParts);
    return {
      from: found.applicableSpan.start,
      before:
        ts.displayPartsToString(prefixDisplayParts) +
        texts
          .slice(0, current)
          .map(text => text + separator)
          .join(''),
      parameter: texts[current] ?? '',
      after:
        texts
          .slice(current + 1)
          .map(text => separator + text)
          .join('') + ts.displayPartsToString(suffixDisplayParts),
      documentation:
        ts.displayPartsToString(parameters[current]?.documentation ?? []) ||
        ts.displayPartsToString(item.documentation),
    };
  }

  /** Names for `require` and `import`: files of the skript, its npm libraries, and libraries that every run has. */
  #modules(from: string): Suggestion[] {
    const own = [...this.#files.keys()]
      .filter(path => path !== from && path.startsWith(FOLDER) && (IS_CODE.test(path) || path.endsWith('.json')))
      .map(path => ({ name: relativePath(from, path), type: 'namespace', boost: 1 }));
    const libraries = new Set([...Object.keys(this.#dependencies()), ...BUILT_IN_LIBRARIES]);
    return [...own, ...[...libraries].map(name => ({ name, type: 'namespace', boost: 0 }))];
  }

  /** Takes the latest text of a file and loads the types that it needs. Returns the file's path. */
  async #prepare({ name, content }: CodeFile): Promise<string> {
    this.#write(FOLDER + name, content);
    await this.#loadFor([content]);
    return FOLDER + name;
  }

  /** Loads the types that texts of code need. */
  async #loadFor(texts: readonly string[]): Promise<void> {
    // Types of installed libraries may use those of Node.
    const packs = new Set<PackName>(this.disk || !this.#libraries.isEmpty ? ['node'] : []);
    for (const text of texts) {
      for (const pack of packsFor(text, importsIn(text).map(this.#alias))) packs.add(pack);
    }
    await Promise.all([...packs].map(pack => this.#load(pack)));
  }

  #problemsOf(source: ts.SourceFile): { problem: ts.Diagnostic; severity: 'error' | 'warning' }[] {
    const { fileName } = source;
    const checker = this.#service.getProgram()?.getTypeChecker();
    const isLoose = /\.[cm]?jsx?$/.test(fileName) && !this.#skriptOptions().checksJsStrictly;
    const syntactic = this.#service
      .getSyntacticDiagnostics(fileName)
      .filter((problem, position, all) => !isRepeated(problem, all[position - 1], source));
    const semantic = this.#service.getSemanticDiagnostics(fileName).filter(problem => {
      if (UNDERSTOOD.has(problem.code)) return false;
      if (UNKNOWN_MODULE.has(problem.code) && this.#mayExist(problem, source)) return false;
      return !isLoose || (checker && isWorthSaying(problem, source, checker));
    });
    return [
      ...syntactic.map(problem => ({ problem, severity: 'error' as const })),
      ...semantic.map(problem => ({ problem, severity: 'warning' as const })),
    ];
  }

  /** Tells whether the module of a problem may exist, although its text is not here: a library, or a file of the skript. */
  #mayExist({ start = 0, length = 0 }: ts.Diagnostic, source: ts.SourceFile): boolean {
    // Without its quotes.
    const name = source.text.slice(start + 1, start + length - 1);
    if (!/^\.\.?\//.test(name)) return !this.disk;
    // The bundler adds this ending, which TypeScript does not.
    return [name, `${name}.json`].some(each => this.#resolve(each, source.fileName).resolvedModule);
  }

  /** Paths of the skript's own files that a file imports. */
  #importsOf(source: ts.SourceFile): string[] {
    return importsIn(source.text).flatMap(name => {
      const path = this.#resolve(name, source.fileName).resolvedModule?.resolvedFileName;
      return path !== undefined && this.#files.has(path) && path.startsWith(FOLDER) ? [path] : [];
    });
  }

  #skriptOptions(): SkriptOptions {
    this.#options ??= readOptions({
      paths: [...this.#files.keys()].filter(path => path.startsWith(FOLDER)),
      fileExists: path => this.#exists(path),
      readFile: path => this.#textOf(path),
    });
    return this.#options;
  }

  #load(pack: PackName): Promise<void> {
    const loading =
      this.#loading.get(pack) ??
      this.loadPack(pack).then(files => {
        for (const [path, text] of Object.entries(files)) this.#write(path, text);
      });
    this.#loading.set(pack, loading);
    // A later question tries again to load what failed, for instance without a network.
    loading.catch(() => this.#loading.delete(pack));
    return loading;
  }

  #write(path: string, text: string): void {
    if (this.#files.get(path)?.text === text) return;
    this.#version += 1;
    this.#files.set(path, { text, version: this.#version });
    this.#addFolders(path);
  }

  #addFolders(path: string): void {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      this.#folders.add(path.slice(0, at));
    }
  }

  /** Returns the module that a name stands for: package.json may give other names to libraries. */
  readonly #alias = (name: string): string => libraryAliases(this.#dependencies())[name] ?? name;

  #dependencies(): Record<string, unknown> {
    return dependenciesIn(this.#files.get(`${FOLDER}package.json`)?.text ?? '{}');
  }

  #textOf(path: string): string | undefined {
    return this.#files.get(path)?.text ?? this.#onDisk(path, (disk, relative) => disk.read(relative));
  }

  #exists(path: string): boolean {
    return (
      this.#files.has(path) ||
      this.#unread.has(path) ||
      (this.#onDisk(path, (disk, relative) => disk.isFile(relative)) ?? false)
    );
  }

  /** The pack has Node's types, of the version that runs have. */
  #onDisk<T>(path: string, ask: (disk: FilesOnDisk, relative: string) => T): T | undefined {
    const isOwn = path.startsWith(FOLDER) && !path.includes('/node_modules/@types/node/');
    return isOwn ? ask(this.disk ?? this.#libraries, path.slice(FOLDER.length)) : undefined;
  }

  /** Finds types of libraries as `require` does: `collect-types.ts` has collected them in the same way. */
  #resolve(name: string, from: string): ts.ResolvedModuleWithFailedLookupLocations {
    const { compiler } = this.#skriptOptions();
    const module = this.#alias(name);
    const resolveAs = (mode: ts.ResolutionMode) =>
      ts.resolveModuleName(module, from, compiler, this.#host, undefined, undefined, mode);
    const found = resolveAs(ts.ModuleKind.CommonJS);
    // Some libraries have exports for `import` only.
    return found.resolvedModule ? found : resolveAs(ts.ModuleKind.ESNext);
  }

  readonly #host: ts.LanguageServiceHost = {
    getCompilationSettings: () => this.#skriptOptions().compiler,
    getProjectVersion: () => String(this.#version),
    getScriptFileNames: () =>
      [...this.#files.keys()].filter(path => isGlobal(path) || (path.startsWith(FOLDER) && IS_CODE.test(path))),
    // The texts of libraries change with the key.
    getScriptVersion: path => String(this.#files.get(path)?.version ?? this.#libraries.key),
    getScriptSnapshot: path => {
      const text = this.#textOf(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => FOLDER,
    getDefaultLibFileName: () => '/lib/lib.es2025.d.ts',
    fileExists: path => this.#exists(path),
    readFile: path => this.#textOf(path),
    directoryExists: path =>
      this.#folders.has(path) || (this.#onDisk(path, (disk, relative) => disk.isFolder(relative)) ?? false),
    getDirectories: () => [],
    resolveModuleNameLiterals: (literals, containing) => literals.map(({ text }) => this.#resolve(text, containing)),
  };
}

/** Tells whether the parser stumbles again over the mistake before, as over the `=` and the `3` of `const = 3`. */
function isRepeated({ code, start = 0 }: ts.Diagnostic, before: ts.Diagnostic | undefined, source: ts.SourceFile) {
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  return before?.code === code && lineOf(before.start ?? 0) === lineOf(start);
}

const messageOf = ({ messageText }: ts.Diagnostic): string =>
  ts.flattenDiagnosticMessageText(messageText, '\n').slice(0, MESSAGE_CHARS);

function toProblem(problem: ts.Diagnostic, severity: 'error' | 'warning'): CodeProblem {
  const { start = 0, length = 0 } = problem;
  return { from: start, to: start + length, severity, message: messageOf(problem) };
}

/** @param configName file of the problems of options that TypeScript reports without a place */
function toLocated(problem: ts.Diagnostic, configName: string): LocatedProblem {
  const { file, start = 0 } = problem;
  const { line, character } = file ? ts.getLineAndCharacterOfPosition(file, start) : { line: 0, character: 0 };
  const name = file?.fileName.slice(FOLDER.length) ?? configName;
  return { file: name, line: line + 1, column: character + 1, message: messageOf(problem) };
}
