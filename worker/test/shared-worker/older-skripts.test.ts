import { firstEcho } from '../run-processes.js';
import { platform } from './worker.js';

test('global.dex8 is the same object as global.trawl, until the skript assigns another value', async () => {
  const { output } = await platform.run(`'use strict';
  module.exports = async () => {
    const stopped = new Promise(resolve => global.dex8.eventEmitter.once('ff-stop', resolve));
    dex8.eventEmitter.setMaxListeners(50);
    trawl.eventEmitter.emit('ff-stop', 'seen');
    const isSame = dex8 === trawl;
    global.dex8 = { eventEmitter: null };
    return [isSame, await stopped, dex8.eventEmitter, trawl.eventEmitter === null];
  };`);
  expect(JSON.parse(output ?? '')).toEqual([true, 'seen', null, false]);
});

test.each([
  ['@mikosoft/echo', 'echo-event'],
  ['echoer', 'echoer'],
])('for older skripts, %s sends one echo for each call, and emits it as an event', async (name, event) => {
  const id = await platform.start({
    'manifest.json': JSON.stringify({ title: 'Older', category: 'general', environment: 'nodejs' }),
    'package.json': JSON.stringify({ dependencies: { [name]: '^1.0.0' } }),
    'main.js': `
      const Echo = require('${name}');
      const page = require('./page.js');
      module.exports = async (input, inputSecret) => {
        const { eventEmitter } = global.dex8;
        const emitted = [];
        eventEmitter.on('${event}', ({ who, method }) => emitted.push(who + ' ' + method));
        const echo = new Echo(true, 1, eventEmitter, 5000, 'shop');
        await echo.log('page', { n: 1 });
        echo.warn('slow');
        await echo.objekt({ price: 3 });
        const answer = echo.question('Which page?');
        eventEmitter.emit('echo-answer', 'shop', 'Which page?', 'the last');
        await page(echo);
        return [emitted, await answer];
      };`,
    'page.js': "module.exports = echo => echo.error(new Error('no page'));",
  });
  const { output, error_stack } = await platform.ended(id);
  expect(error_stack).toBeNull();
  const emitted = ['shop log', 'shop warn', 'shop objekt', 'shop question', 'shop error'];
  expect(JSON.parse(output ?? '')).toEqual([emitted, 'the last']);
  expect((await platform.echoes(id)).map(({ type, msg }) => [type, msg])).toEqual([
    ['log', 'page {"n":1}'],
    ['warn', 'slow'],
    ['objekt', '{"price":3}'],
    ['question', 'Which page?'],
    ['answer', '#4 answered'],
    ['error', expect.stringContaining('Error: no page')],
  ]);
});

test.each([
  ['without a secret', {}, /^TypeError: .*'eventEmitter'[\s\S]*\n {2}If this is the second parameter of main.js/],
  [
    'with a secret',
    { input_secret: '{"pin":4}' },
    /^TypeError: main.js reads `eventEmitter` from its second parameter/,
  ],
])(
  'a skript that takes another second parameter for a library fails with the fix, %s',
  async (_name, options, text) => {
    const { error_stack } = await platform.run(
      `module.exports = async (input, tools) => {
       tools?.pin && JSON.stringify(tools);
       tools.eventEmitter.setMaxListeners(5);
     };`,
      options,
    );
    expect(error_stack).toMatch(text);
    expect(error_stack).toContain('Write instead: const { eventEmitter } = global.dex8;');
    expect(error_stack).toContain('main.js:3:');
  },
);

const WITH_LIBRARY = `
  const inner = async lib => { await lib.echo.log('page', { n: 1 }); return lib.eventEmitter === trawl.eventEmitter; };
  module.exports = async (input, PARAMETER) => {
    const { eventEmitter, echo } = library;
    return [await inner(library), eventEmitter === dex8.eventEmitter, library.echo === echo, library.pin ?? null];
  };`;

test.each([
  ['without a secret', 'library', {}, null],
  ['with a default', 'library = {}', {}, null],
  ['with a secret', 'library', { input_secret: '{"pin":4}' }, 4],
])(
  'an older skript gets `echo` and `eventEmitter` from its library, with one warning, %s',
  async (_name, parameter, options, pin) => {
    const id = await platform.start(WITH_LIBRARY.replace('PARAMETER', parameter), options);
    const { output, error_stack } = await platform.ended(id);
    expect(error_stack).toBeNull();
    expect(JSON.parse(output ?? '')).toEqual([true, true, true, pin]);
    expect((await platform.echoes(id)).map(({ type, msg }) => [type, msg])).toEqual([
      ['warn', expect.stringMatching(/^main.js takes its libraries from its second parameter.* Write instead: /)],
      ['log', 'page {"n":1}'],
    ]);
  },
);

test('the library of an older skript has its flow, modules and questions, and can be copied', async () => {
  const id = await platform.start(`
    const f1 = (x, lib) => { x.a += 1; lib.echo.log('f1', x.a); return x; };
    module.exports = async (input, lib) => {
      const { ff, echo } = lib;
      ff.setOpts({ debug: false, msDelay: 1 });
      ff.xInject({ a: 1 });
      ff.libInject({ ...lib });
      await ff.serial([f1, f1]);
      await echo.input('Which page?');
      const answer = echo.listen();
      lib.eventEmitter.emit('echo-answer', '', 'Which page?', 'the last');
      let missing;
      try { lib.puppeteer.launch(); } catch (error) { missing = error.message; }
      return {
        x: ff.x, answer: await answer, missing, same: lib.ff === global.functionFlow,
        kinds: [new lib.Echo() instanceof echo.constructor, ff instanceof lib.FunctionFlow],
        modules: [lib.moment(0).utc().year(), typeof lib.fse.outputJson, lib.chalk.level, lib.cheerio.load('<p>a').text()],
      };
    };`);
  const { output, error_stack } = await platform.ended(id);
  expect(error_stack).toBeNull();
  expect(JSON.parse(output ?? '')).toEqual({
    x: { a: 3 },
    answer: 'the last',
    missing: expect.stringMatching(/^puppeteer needs a browser/),
    same: true,
    kinds: [true, true],
    modules: [1970, 'function', 0, 'a'],
  });
  expect((await platform.echoes(id)).map(({ type, msg }) => [type, msg])).toEqual([
    ['warn', expect.stringContaining('takes its libraries')],
    ['log', 'f1 2'],
    ['log', 'f1 3'],
    ['question', 'Which page?'],
    ['answer', '#4 answered'],
  ]);
});

test('a second parameter with another name is the secret alone, also if an inner function takes a library', async () => {
  const { output } = await platform.run(`
    module.exports = async (input, secret) => [secret ?? null, [1].map((x, lib) => lib)];`);
  expect(JSON.parse(output ?? '')).toEqual([null, [0]]);
});

test('files of a skript that no import reaches are in the folder of the run, also for child processes', async () => {
  const cookies = '[{"name":"session","value":"😀"}]';
  const page = '\uFEFF<p>\u0001\u2028</p>\r\n';
  const { output, error_stack } = await platform.run({
    'main.js': `
      const { execFileSync } = require('node:child_process');
      const { readFileSync, readdirSync } = require('node:fs');
      const { join } = require('node:path');
      const settings = require('./settings.js');
      module.exports = async () => [
        JSON.parse(readFileSync('./cookies.json', 'utf8')),
        readFileSync(join(__dirname, 'pages', 'odd.html'), 'utf8'),
        execFileSync(process.execPath, [join(__dirname, 'child.js')], { encoding: 'utf8' }),
        settings.page,
        readdirSync('.').filter(name => name !== 'tmp').sort(),
      ];`,
    'settings.js': 'exports.page = 2;',
    'cookies.json': cookies,
    'pages/odd.html': page,
    'child.js': "process.stdout.write(require('./cookies.json')[0].name);",
  });
  expect(error_stack).toBeNull();
  const names = ['child.js', 'cookies.json', 'pages'];
  expect(JSON.parse(output ?? '')).toEqual([JSON.parse(cookies), page, 'session', 2, names]);
});

test('a question that an older skript asks can be answered through the platform', async () => {
  const id = await platform.start(`
    const Echo = require('@mikosoft/echo');
    const echo = new Echo(true, 1, global.dex8.eventEmitter);
    module.exports = () => echo.question('Which page?');`);
  await firstEcho(platform, id);
  expect(await platform.answer({ id, seq: 1, answer: 'the last', key: 'a' })).toEqual({ result: 'accepted' });
  expect(JSON.parse((await platform.ended(id)).output ?? '')).toBe('the last');
});

test.each(['@mikosoft/functionflow', 'functionflowx'])('%s is the class FunctionFlow of older skripts', async name => {
  const { output, error_stack } = await platform.run({
    'main.js': `
      const FunctionFlow = require('${name}');
      const add = require('./add.js');
      module.exports = async input => {
        const ff = new FunctionFlow({ debug: false, msDelay: 0 }, global.dex8.eventEmitter);
        ff.xInject({ a: 5 });
        ff.libInject({ step: 1 });
        await ff.serial([add, add, add]);
        await ff.repeat(3);
        return [ff.x, ff instanceof require('@trawl/functionflow').FunctionFlow];
      };`,
    'add.js': 'module.exports = function (x) { return { a: x.a + this.functionFlow.lib.step }; };',
  });
  expect(error_stack).toBeNull();
  expect(JSON.parse(output ?? '')).toEqual([{ a: 17 }, true]);
});

test('ES modules can import the classes Echo and FunctionFlow of older skripts', async () => {
  const { output, error_stack } = await platform.run(`
    import Echo from '@mikosoft/echo';
    import FunctionFlow from 'functionflowx';
    import { FunctionFlow as Current } from '@trawl/functionflow';
    export default async () => {
      const { default: Dynamic } = await import('@mikosoft/functionflow');
      return [typeof new Echo().log, FunctionFlow.prototype instanceof Current, Dynamic === FunctionFlow];
    };`);
  expect(error_stack).toBeNull();
  expect(JSON.parse(output ?? '')).toEqual(['function', true, true]);
});

test('the libraries that those of older skripts depend on are there without an entry in package.json', async () => {
  const { output } = await platform.run(`
  const chalk = require('chalk');
  const moment = require('moment');
  const fse = require('fs-extra');
  module.exports = async () => {
    await fse.outputJson('data/rows.json', [1]);
    moment.locale('hr');
    const color = new chalk.Instance({ level: 1 });
    return [color.blue('sea'), moment('2024-01-05').format('MMMM'), fse.readJsonSync('data/rows.json'), moment.version];
  };`);
  expect(JSON.parse(output ?? '')).toEqual(['\u001b[34msea\u001b[39m', 'siječanj', [1], expect.stringMatching(/^2\./)]);
});
