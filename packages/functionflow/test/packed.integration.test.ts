import { PackedPackage } from '../../../scripts/jest/packed-package.js';

let project: PackedPackage;

beforeAll(async () => {
  project = await PackedPackage.install('packages/functionflow');
});

afterAll(() => project.remove());

test('packed @trawl/functionflow runs the README example as printed, as CommonJS and as ES module', async () => {
  const call = "main({ url: 'https://example.com/' }).then(console.log);";
  const printed = '3 pages of https://example.com/\n';
  expect(await project.runReadmeExample('packages/functionflow', call)).toEqual([printed, printed]);
});

test('packed @trawl/functionflow exports the same classes to CommonJS and ES modules', async () => {
  await project.write(
    'same.mjs',
    `import { createRequire } from 'node:module';
    import * as module from '@trawl/functionflow';
    const required = createRequire(import.meta.url)('@trawl/functionflow');
    console.log(Object.keys(required).filter(name => module[name] === required[name]).join());`,
  );
  expect(await project.run('same.mjs')).toBe('FunctionFlow,FlowTimeoutError\n');
});

// A test of packages/cli checks the types that editors get.
if (isFullTest)
  test('packed @trawl/functionflow has strict types in CommonJS and ES modules', async () => {
    const use = `
    const flow: FunctionFlow<number> = new FunctionFlow({ msDelay: 1 });
    const result: Promise<number> = flow.serial([x => x + 1]);
    const wrong: Promise<string> = flow.one(x => x);
    export { result, wrong };`;
    await project.write('types.mts', `import { FunctionFlow } from '@trawl/functionflow';${use}`);
    await project.write('types.cts', `import { FunctionFlow } from '@trawl/functionflow';${use}`);
    const errors = await project.typeErrors(['types.mts', 'types.cts']);
    const places = errors.match(/^types.*?: error/gm);
    expect(places).toEqual(['types.cts(4,11): error', 'types.mts(4,11): error']);
  });
