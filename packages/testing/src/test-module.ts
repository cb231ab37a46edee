import { writeFileSync } from 'node:fs';
import { findSourceMap } from 'node:module';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { endAfterTests } from './end-of-tests.js';
import './index.js';

/** The `require` of a bundle. A bundle with computed paths calls `own` for some of them, and sets `files`. */
interface TestRequire {
  (name: string): unknown;
  own?: TestRequire;
  files?: Record<string, () => unknown>;
}

const ENDINGS = ['.js', '.mjs', '.cjs', '.jsx', '.json', '.ts', '.mts', '.cts', '.tsx'];
const EXTENSIONS = ['', ...ENDINGS, ...ENDINGS.map(ending => `/index${ending}`)];

/**
 * Gives a bundle of a test what the worker gives the bundle of a skript: paths in the skript's folder, and `require` with
 * a path that only the run knows. `trawl test` puts a call of it before the code of each bundle, and finds the file that
 * this call writes beside the bundle. The process ends when the tests have ended.
 *
 * @param bundle path of the bundle
 * @param test path of the test in the skript's folder
 * @param folder of the skript
 */
export function testModule(require: NodeJS.Require, bundle: string, test: string, folder: string) {
  writeFileSync(`${bundle}.began`, '');
  endAfterTests();
  const callingFile = () => sourceOf(bundle) ?? test;
  const requireFile = (name: string): unknown => {
    const path = isAbsolute(name) ? name : join(dirname(callingFile()), name);
    const inFolder = relative(folder, path).split(sep).join('/');
    const load = EXTENSIONS.map(extension => own.files?.[inFolder + extension]).find(found => found !== undefined);
    return load ? load() : require(path);
  };
  const own: TestRequire = Object.assign(
    (name: string): unknown => (isAbsolute(name) || /^\.{1,2}(?:\/|$)/.test(name) ? requireFile(name) : require(name)),
    require,
  );
  own.own = own;
  const file = {
    get filename() {
      return callingFile();
    },
    get dirname() {
      return dirname(callingFile());
    },
    get url() {
      return pathToFileURL(callingFile()).href;
    },
  };
  return { require: own, __trawl_file: file, __filename: test, __dirname: dirname(test) };
}

/** Returns the path of the file whose code in the bundle is running; null if that is not a file of the skript. */
function sourceOf(bundle: string): string | null {
  const map = findSourceMap(bundle);
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (_, sites) => sites;
  const sites = new Error().stack as unknown as NodeJS.CallSite[];
  Error.prepareStackTrace = prepareStackTrace;
  for (const site of sites) {
    if (site.getFileName() !== bundle) continue;
    const entry = map?.findEntry((site.getLineNumber() ?? 1) - 1, (site.getColumnNumber() ?? 1) - 1);
    if (entry && 'originalSource' in entry && entry.originalSource.startsWith('file:'))
      return fileURLToPath(entry.originalSource);
  }
  return null;
}
