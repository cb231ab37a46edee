import ts from 'typescript';

/** Folder of the skript among the files of the packs. */
export const FOLDER = '/skript/';

/** Options that follow from how Trawl builds and runs a skript, so that `tsconfig.json` cannot change them. */
const FIXED: ts.CompilerOptions = {
  allowJs: true,
  noEmit: true,
  // The packs have the libraries of the language, as files.
  noLib: true,
  types: [],
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  // Each file is a module, also one without imports: it may use `await` outside functions.
  moduleDetection: ts.ModuleDetectionKind.Force,
  allowImportingTsExtensions: true,
  resolveJsonModule: true,
  esModuleInterop: true,
  skipLibCheck: true,
};

const DEFAULTS: ts.CompilerOptions = { checkJs: true, jsx: ts.JsxEmit.Preserve };

/** With strict rules, correct JavaScript without annotations would be full of problems. */
const LOOSE: ts.CompilerOptions = { ...DEFAULTS, strict: false };

/** The options of a skript. */
export interface SkriptOptions {
  /** Name of the file that sets them. */
  configName: string;
  compiler: ts.CompilerOptions;
  /** Paths of the files to check. The check follows their imports, too. */
  roots: string[];
  /** Whether the skript wants the same rules for JavaScript as for TypeScript. */
  checksJsStrictly: boolean;
  problems: readonly ts.Diagnostic[];
}

/** The files that `tsconfig.json` can name. */
export interface ConfigFiles {
  /** Paths of the skript's files. */
  paths: readonly string[];
  fileExists(path: string): boolean;
  readFile(path: string): string | undefined;
}

const CONFIG_NAMES = ['tsconfig.json', 'jsconfig.json'] as const;

/** Reads `tsconfig.json`, or else `jsconfig.json`. Both are optional. */
export function readOptions(files: ConfigFiles): SkriptOptions {
  const configName = CONFIG_NAMES.find(each => files.fileExists(FOLDER + each));
  if (configName === undefined) {
    const [name] = CONFIG_NAMES;
    const roots = codeIn(files.paths);
    return { configName: name, compiler: { ...LOOSE, ...FIXED }, roots, checksJsStrictly: false, problems: [] };
  }
  const path = FOLDER + configName;
  const { error } = ts.readConfigFile(path, files.readFile);
  const source = ts.readJsonConfigFile(path, files.readFile);
  const host: ts.ParseConfigHost = {
    useCaseSensitiveFileNames: true,
    fileExists: files.fileExists,
    readFile: files.readFile,
    readDirectory: (root, endings, excludes, includes, depth) =>
      matchFiles(
        root,
        endings,
        excludes,
        includes,
        true,
        root,
        depth,
        folder => listFolder(files.paths, folder),
        String,
      ),
  };
  const parsed = ts.parseJsonSourceFileConfigFileContent(source, host, FOLDER, FIXED, path);
  return {
    configName,
    compiler: { ...(configName === 'jsconfig.json' ? LOOSE : DEFAULTS), ...parsed.options },
    roots: codeIn(parsed.fileNames),
    checksJsStrictly: parsed.options.checkJs === true && parsed.raw?.compilerOptions?.checkJs === true,
    problems: [...(error ? [error] : []), ...parsed.errors].filter(({ code }) => code !== NO_INPUTS),
  };
}

/** Code of the problem that `include` matches no file: a new skript may have none yet. */
const NO_INPUTS = 18003;

const codeIn = (paths: readonly string[]): string[] => paths.filter(path => /\.[cm]?[jt]sx?$/.test(path));

type Listing = { files: string[]; directories: string[] };

/** TypeScript's own reading of `include` and `exclude`, which its types leave out. */
const { matchFiles } = ts as unknown as {
  matchFiles(
    path: string,
    endings: readonly string[] | undefined,
    excludes: readonly string[] | undefined,
    includes: readonly string[] | undefined,
    isCaseSensitive: boolean,
    currentFolder: string,
    depth: number | undefined,
    list: (folder: string) => Listing,
    realPath: (path: string) => string,
  ): string[];
};

function listFolder(paths: readonly string[], folder: string): Listing {
  const start = folder.endsWith('/') ? folder : `${folder}/`;
  const below = paths.filter(path => path.startsWith(start)).map(path => path.slice(start.length).split('/'));
  const names = (isFolder: boolean) => [
    ...new Set(below.filter(parts => parts.length > 1 === isFolder).map(parts => parts[0] ?? '')),
  ];
  return { files: names(false), directories: names(true) };
}
