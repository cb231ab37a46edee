import { installScriptWarning, missingBinaryAdvice } from './install-scripts.js';

test('a warning about an install script says what to use instead, and is left out for libraries that work without', () => {
  expect(installScriptWarning('better-sqlite3')).toBe(
    'better-sqlite3 has an install script, which Trawl does not run, and it does not work without. Use node:sqlite of Node instead.',
  );
  expect(installScriptWarning('canvas')).toContain('Use @napi-rs/canvas instead.');
  expect(installScriptWarning('constructor')).toContain('If it fails: Use a library that is written in JavaScript');
  expect(installScriptWarning('sharp')).toBeNull();
});

test.each([
  [
    'Could not locate the bindings file. Tried:\n → /trawl/libraries/a/node_modules/better-sqlite3/build/better_sqlite3.node',
    'better-sqlite3 needs a binary that its install script makes, and Trawl runs no install scripts. Use node:sqlite of Node instead.',
  ],
  [
    "Cannot find module '../build/Release/canvas.node'\nRequire stack:\n- /trawl/libraries/a/node_modules/canvas/lib/bindings.js",
    'canvas needs a binary that its install script makes, and Trawl runs no install scripts. Use @napi-rs/canvas instead.',
  ],
  [
    'No native build was found for platform=linux\n    loaded from: /trawl/libraries/a/node_modules/@scope/name\n',
    '@scope/name needs a binary that its install script makes, and Trawl runs no install scripts. Use a library that is written in JavaScript or WebAssembly, or one that brings its binaries as optional packages.',
  ],
  ["Cannot find module './lib/missing'\nRequire stack:\n- /trawl/libraries/a/node_modules/b/index.js", null],
])('an error about a missing binary names the library and what to use instead: %#', (message, advice) => {
  expect(missingBinaryAdvice(message)).toBe(advice);
});
