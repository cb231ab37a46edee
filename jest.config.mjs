// One Jest set-up for every room. Tests are TypeScript, transformed to CommonJS: Jest's own ES-module mode fails on
// Node 20 with some of Nest's packages. Packages that ship ES modules only are transformed as well.
const esModulePackages = [
  '@nestjs',
  '@borewit',
  '@tokenizer',
  'es-toolkit',
  'file-type',
  'got',
  'js-yaml',
  'mdast-util-to-string',
  'p-limit',
  'puppeteer-core',
  'strtok3',
  'token-types',
  'uint8array-extras',
  'unist-util-is',
  'unist-util-visit',
  'unist-util-visit-parents',
  'uuid',
  'yocto-queue',
  'yoctocolors',
];

/** `npm run test:full` sets the variable. */
const isFullTest = process.env.TRAWL_TEST_FULL === '1';

const shared = {
  // Not in the temporary folder, which each run replaces: compiled files serve all projects and later runs.
  cacheDirectory: '<rootDir>/node_modules/.cache/trawl/jest',
  // Declared in scripts/jest/globals.d.ts.
  globals: { isFullTest },
  testEnvironment: '<rootDir>/scripts/jest/node-environment.cjs',
  runtime: '<rootDir>/scripts/jest/runtime.cjs',
  transform: {
    '^.+\\.(t|j|mj)sx?$': [
      '@swc/jest',
      {
        module: { type: 'commonjs' },
        jsc: {
          parser: { syntax: 'typescript', tsx: true, decorators: true },
          transform: {
            react: { runtime: 'automatic' },
            legacyDecorator: true,
            decoratorMetadata: true,
            useDefineForClassFields: false,
          },
          target: 'es2022',
        },
      },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esModulePackages.join('|')})/)`],
  // Source files import each other as `./name.js`, the name after building; tests run from the sources.
  moduleNameMapper: {
    // Tests of components load no style sheets.
    '\\.css$': '<rootDir>/scripts/jest/no-style.cjs',
    '^(\\.{1,2}/.*)\\.js$': ['$1.js', '$1'],
    // Its exports have no entry for `require`, which tests use.
    '^file-type$': '<rootDir>/node_modules/file-type/core.js',
    '^@trawl/(bundler|client|contracts|echo|functionflow|httpclient|storage|embedded|folder-lock|libraries|testing|tracing|type-check)$':
      '<rootDir>/packages/$1/src/index.ts',
    '^@trawl/tracing/start-tracing$': '<rootDir>/packages/tracing/src/start-tracing.ts',
    '^@trawl/libraries/registry-stand-in$': '<rootDir>/packages/libraries/src/registry-stand-in.ts',
    '^@trawl/type-check/collect-types$': '<rootDir>/packages/type-check/src/collect-types.ts',
    '^@trawl/bundler/problems$': '<rootDir>/packages/bundler/src/bundle-problems.ts',
    '^@trawl/storage/local-postgres$': '<rootDir>/packages/storage/src/local/local-postgres.ts',
    '^@trawl/storage/local$': '<rootDir>/packages/storage/src/local/local-port.ts',
    '^@trawl/echo/iso-now$': '<rootDir>/packages/echo/src/iso-now.ts',
    '^@trawl/contracts/main-file$': '<rootDir>/packages/contracts/src/skripts/main-file.ts',
    '^@trawl/contracts/pipe-lines$': '<rootDir>/packages/contracts/src/pipe-lines.ts',
    '^@trawl/contracts/private-ranges$': '<rootDir>/packages/contracts/src/network/private-ranges.ts',
    '^@trawl/contracts/run-nodes$': '<rootDir>/packages/contracts/src/skripts/run-nodes.ts',
    '^@trawl/embedded/cache-dir$': '<rootDir>/packages/embedded/src/cache-dir.ts',
    '^@trawl/embedded/setting-files$': '<rootDir>/packages/embedded/src/setting-files.ts',
    '^@trawl/embedded/debian-packages$': '<rootDir>/packages/embedded/src/debian/debian-packages.ts',
    '^@trawl/embedded/debian-server$': '<rootDir>/packages/embedded/src/debian/debian-server.ts',
    '^@site/(.*)$': '<rootDir>/website/$1',
  },
  // A data folder in the checkout is none of Jest's business, and another user's databases not even readable.
  modulePathIgnorePatterns: ['<rootDir>/\\.trawl'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/build/', ...(isFullTest ? [] : ['\\.full\\.'])],
};

// One PostgreSQL and one MongoDB for a whole test run; see the file for how tests find them.
const withDatabases = {
  ...shared,
  globalSetup: '<rootDir>/scripts/jest/databases.setup.mjs',
  globalTeardown: '<rootDir>/scripts/jest/databases.teardown.mjs',
};

// unit: nothing but this process. component: the panel's components, in jsdom. integration: real databases, processes,
// sockets. e2e: the whole product in Chromium.
export default {
  // Generous for a busy machine, because no test measures time.
  testTimeout: 300_000,
  testSequencer: '<rootDir>/scripts/jest/slow-first.cjs',
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/**/*.unit.test.ts?(x)'] },
    {
      ...shared,
      displayName: 'component',
      testMatch: ['<rootDir>/panel/**/*.component.test.ts?(x)'],
      testEnvironment: '<rootDir>/scripts/jest/panel-environment.cjs',
    },
    { ...withDatabases, displayName: 'integration', testMatch: ['<rootDir>/**/*.integration.test.ts'] },
    {
      ...withDatabases,
      displayName: 'e2e',
      testMatch: ['<rootDir>/e2e/**/*.e2e.test.ts'],
      globalSetup: '<rootDir>/scripts/jest/e2e.setup.mjs',
    },
  ],
};
