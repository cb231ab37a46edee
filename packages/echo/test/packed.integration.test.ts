import { PackedPackage } from '../../../scripts/jest/packed-package.js';

let project: PackedPackage;

beforeAll(async () => {
  project = await PackedPackage.install('packages/echo');
});

afterAll(() => project.remove());

test('packed @trawl/echo runs the README example as printed, as CommonJS and as ES module', async () => {
  const printed = 'Opening page 1\n{"title":"A book","price":12.5}\n';
  const call = "main({ url: '/books/17' });";
  expect(await project.runReadmeExample('packages/echo', call)).toEqual([printed, printed]);
});

test('packed @trawl/echo exports the same classes to CommonJS and ES modules', async () => {
  await project.write(
    'same.mjs',
    `import { createRequire } from 'node:module';
    import * as module from '@trawl/echo';
    import * as older from '@trawl/echo/older-echo';
    const require = createRequire(import.meta.url);
    const required = { ...require('@trawl/echo'), ...require('@trawl/echo/older-echo') };
    console.log(Object.keys(required).filter(name => { return { ...module, ...older }[name] === required[name] }).join());`,
  );
  expect(await project.run('same.mjs')).toBe('Echo,echo,OlderEcho,Echoer\n');
});

// A test of packages/cli checks the types that editors get.
if (isFullTest)
  test('packed @trawl/echo has strict types in CommonJS and ES modules', async () => {
    const use = `
    const own: Echo = new Echo();
    own.log('Page %d', 1);
    own.image('data:image/png;base64,');
    const type: EchoMessageType = 'objekt';
    echo.image(5);
    const wrong: EchoMessageType = 'info';
    export { type, wrong };`;
    for (const file of ['types.mts', 'types.cts']) {
      await project.write(file, `import { Echo, echo, type EchoMessageType } from '@trawl/echo';${use}`);
    }
    const errors = await project.typeErrors(['types.mts', 'types.cts']);
    expect(errors.match(/^types.*?: error/gm)?.map(place => place.replace(/,\d+/, ''))).toEqual([
      'types.cts(6): error',
      'types.cts(7): error',
      'types.mts(6): error',
      'types.mts(7): error',
    ]);
  });
