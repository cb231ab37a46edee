import { BUILT_IN_LIBRARIES } from '@trawl/contracts';
import ts from 'typescript';
import { isWorthSaying } from './obvious-problems.js';
import type {
  CallHint,
  CodeFile,
  CodeProblem,
  CodeQuestions,
  LocatedText,
  Suggestion,
  Suggestions,
  SymbolText,
} from './protocol.js';
import { type PackName, packsFor, type TypePack } from './type-packs.js';

/** Folder of the skript among the files of the packs. */
const FOLDER = '/skript/';
const IS_CODE = /\.[cm]?[jt]sx?$/;
const MAX_SUGGESTIONS = 500;
const MESSAGE_CHARS = 400;

const OPTIONS: ts.CompilerOptions = {
  allowJs: true,
  checkJs: true,
  // With strict rules, correct JavaScript without annotations would be full of problems.
  strict: false,
  noEmit: true,
  // The packs have the libraries of the language, as files.
  noLib: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  resolveJsonModule: true,
  esModuleInterop: true,
  skipLibCheck: true,
  jsx: ts.JsxEmit.Preserve,
  types: [],
};

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
  readonly #loading = new Map<PackName, Promise<void>>();
  readonly #folders = new Set<string>(['/']);
  readonly #service: ts.LanguageService;
  #version = 0;

  constructor(private readonly loadPack: (name: PackName) => Promise<TypePack>) {
    this.#service = ts.createLanguageService(this.#host());
  }

  setFiles(files: readonly CodeFile[]): void {
    const paths = new Set(files.map(({ name }) => FOLDER + name));
    for (const path of this.#files.keys()) {
      if (path.startsWith(FOLDER) && !paths.has(path)) this.#files.delete(path);
    }
    for (const { name, content } of files) this.#write(FOLDER + name, content);
  }

  async problems(file: CodeFile): Promise<CodeProblem[]> {
    const path = await this.#prepare(file);
    const program = this.#service.getProgram();
    const source = program?.getSourceFile(path);
    if (!program || !source) return [];
    const semantic = this.#service
      .getSemanticDiagnostics(path)
      .filter(problem => isWorthSaying(problem, source, program.getTypeChecker()));
    return [
      ...this.#service
        .getSyntacticDiagnostics(path)
        .filter((problem, position, all) => !isRepeated(problem, all[position - 1], source))
        .map(problem => toProblem(problem, 'error')),
      ...semantic.map(problem => toProblem(problem, 'warning')),
    ];
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

  /** Names for `require` and `import`: files of the skript, then libraries that every run has. */
  #modules(from: string): Suggestion[] {
    const own = [...this.#files.keys()]
      .filter(path => path !== from && path.startsWith(FOLDER) && (IS_CODE.test(path) || path.endsWith('.json')))
      .map(path => ({ name: relativePath(from, path), type: 'namespace', boost: 1 }));
    return [...own, ...BUILT_IN_LIBRARIES.map(name => ({ name, type: 'namespace', boost: 0 }))];
  }

  /** Takes the latest text of a file and loads the types that it needs. Returns the file's path. */
  async #prepare({ name, content }: CodeFile): Promise<string> {
    this.#write(FOLDER + name, content);
    const modules = ts.preProcessFile(content, true, true).importedFiles.map(({ fileName }) => fileName);
    await Promise.all(packsFor(content, modules).map(pack => this.#load(pack)));
    return FOLDER + name;
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
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      this.#folders.add(path.slice(0, at));
    }
  }

  #host(): ts.LanguageServiceHost {
    const textOf = (path: string) => this.#files.get(path)?.text;
    const host: ts.LanguageServiceHost = {
      getCompilationSettings: () => OPTIONS,
      getProjectVersion: () => String(this.#version),
      getScriptFileNames: () =>
        [...this.#files.keys()].filter(path => isGlobal(path) || (path.startsWith(FOLDER) && IS_CODE.test(path))),
      getScriptVersion: path => String(this.#files.get(path)?.version ?? 0),
      getScriptSnapshot: path => {
        const text = textOf(path);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => FOLDER,
      getDefaultLibFileName: () => '/lib/lib.es2023.d.ts',
      fileExists: path => this.#files.has(path),
      readFile: textOf,
      directoryExists: path => this.#folders.has(path),
      getDirectories: () => [],
      // Types of libraries are those that `require` finds, as `panel/library-types.ts` collects them.
      resolveModuleNameLiterals: (literals, containing) =>
        literals.map(({ text }) =>
          ts.resolveModuleName(text, containing, OPTIONS, host, undefined, undefined, ts.ModuleKind.CommonJS),
        ),
    };
    return host;
  }
}

/** Tells whether the parser stumbles again over the mistake before, as over the `=` and the `3` of `const = 3`. */
function isRepeated({ code, start = 0 }: ts.Diagnostic, before: ts.Diagnostic | undefined, source: ts.SourceFile) {
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  return before?.code === code && lineOf(before.start ?? 0) === lineOf(start);
}

function toProblem({ start = 0, length = 0, messageText }: ts.Diagnostic, severity: 'error' | 'warning'): CodeProblem {
  const message = ts.flattenDiagnosticMessageText(messageText, '\n').slice(0, MESSAGE_CHARS);
  return { from: start, to: start + length, severity, message };
}

/** Returns the text in quotes at a position if it names a module. */
function moduleNameAt(source: ts.SourceFile, position: number): ts.StringLiteralLike | null {
  const visit = (node: ts.Node): ts.StringLiteralLike | null => {
    if (position <= node.getStart(source) || position > node.getEnd()) return null;
    if (!ts.isStringLiteralLike(node)) return ts.forEachChild(node, visit) ?? null;
    const { parent } = node;
    const isCalled =
      ts.isCallExpression(parent) &&
      parent.arguments[0] === node &&
      (parent.expression.kind === ts.SyntaxKind.ImportKeyword || parent.expression.getText(source) === 'require');
    return isCalled || ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) ? node : null;
  };
  return ts.forEachChild(source, visit) ?? null;
}

function relativePath(from: string, to: string): string {
  const folders = from.split('/').slice(0, -1);
  const target = to.split('/');
  let common = 0;
  while (common < folders.length && folders[common] === target[common]) common += 1;
  const up = '../'.repeat(folders.length - common);
  return `${up || './'}${target.slice(common).join('/')}`;
}
