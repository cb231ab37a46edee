const SQLITE = 'node:sqlite of Node';
const BROWSER = 'puppeteer or playwright';

/** For well-known libraries that do not work without their install script: what to use instead. */
const INSTEAD: Record<string, string> = {
  'better-sqlite3': SQLITE,
  sqlite3: SQLITE,
  canvas: '@napi-rs/canvas',
  chromedriver: BROWSER,
  electron: BROWSER,
  'ffi-napi': 'koffi',
  leveldown: 'classic-level',
  libxmljs: 'fast-xml-parser',
  libxmljs2: 'fast-xml-parser',
  'node-libcurl': 'got-scraping or @trawl/httpclient',
  'node-sass': 'sass',
  'phantomjs-prebuilt': BROWSER,
};

/** Well-known libraries that work without their install script: it only checks the system, or prints a text. */
const WORK_WITHOUT = [
  '@swc/core',
  'argon2',
  'bufferutil',
  'core-js',
  'esbuild',
  'protobufjs',
  'sharp',
  'utf-8-validate',
];

/** Advice for a library that does not work without its install script. */
function adviceFor(name: string): string {
  const instead = Object.hasOwn(INSTEAD, name) ? INSTEAD[name] : undefined;
  return instead === undefined
    ? 'Use a library that is written in JavaScript or WebAssembly, or one that brings its binaries as optional packages.'
    : `Use ${instead} instead.`;
}

/** Returns a warning about a library that has an install script; null if the library works without it. */
export function installScriptWarning(name: string): string | null {
  if (WORK_WITHOUT.includes(name)) return null;
  return Object.hasOwn(INSTEAD, name)
    ? `${name} has an install script, which Trawl does not run, and it does not work without. ${adviceFor(name)}`
    : `${name} has an install script, which Trawl does not run. The library may fail unless it ships prebuilt files. If it fails: ${adviceFor(name)}`;
}

const MISSING_BINARY =
  /Could not locate the bindings file|Cannot find module '[^'\n]*\.node'|No native build was found/;
const LIBRARY = /[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/'"\s]+)/g;

/**
 * Returns what to do about an error of a library whose binary is missing, because an install script would make it; null
 * for any other error.
 *
 * @param message of the error, as the library throws it
 */
export function missingBinaryAdvice(message: string): string | null {
  if (!MISSING_BINARY.test(message)) return null;
  const names = [...message.matchAll(LIBRARY)].map(([, name = '']) => name.replace('\\', '/'));
  // `bindings` and `node-gyp-build` load the binaries of other libraries.
  const name = names.find(found => found !== 'bindings' && found !== 'node-gyp-build');
  return name === undefined
    ? null
    : `${name} needs a binary that its install script makes, and Trawl runs no install scripts. ${adviceFor(name)}`;
}
