/** The bytes of a picture, which are not UTF-8. */
export const GIF = Buffer.from('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64');

const manifest = (more: object = {}) =>
  JSON.stringify({
    description: '',
    category: 'general',
    thumbnail: '',
    environment: 'nodejs',
    worker_response_timeout: 5000,
    version: '1.0.0',
    ...more,
  });

/** A skript in the older layout, with a bare number as input. Uses no browser. */
export const NODEJS_SKRIPT = {
  'manifest.json': manifest(),
  // Ranges that no version in the registry matches.
  'package.json': JSON.stringify({
    dependencies: {
      '@mikosoft/echo': '^77.0.0',
      '@mikosoft/functionflow': 'no-such-tag',
      echoer: '0.0.0',
      shout: 'npm:echoer@77.0.0',
      functionflowx: '*',
    },
  }),
  'main.js': `
    const fs = require('fs');
    const path = require('path');
    const Echo = require('@mikosoft/echo');
    const Echoer = require('shout');
    const FunctionFlow = require('@mikosoft/functionflow');
    const flows = require('./flows.js');
    const counter = require('./counter.js');
    const steps = require('./steps');

    // Older skripts read what the platform keeps as fields and inputs, and require what they find in a folder.
    function readFolder() {
      const read = name => fs.readFileSync(path.join(__dirname, name), 'utf8');
      const names = fs.readdirSync(path.join(__dirname, 'steps')).filter(name => name !== 'index.js');
      for (const name of names) require(path.join(__dirname, 'steps', name))();
      steps.load('a')();
      return {
        category: JSON.parse(read('manifest.json')).category,
        howto: read('howto.html'),
        shout: require('./package.json').dependencies.shout,
        inputs: [JSON.parse(read('input.json')), require('./input-books.json')],
        secrets: ['inputSecret.json', 'dex8auth.json', '.env'].filter(name => fs.existsSync(name)),
        names,
        inSteps: [path.relative(__dirname, steps.dirname), path.relative(__dirname, steps.filename)],
        counted: counter.count,
      };
    }

    module.exports = async (input, inputSecret) => {
      const { eventEmitter } = global.dex8;
      eventEmitter.setMaxListeners(50);
      const emitted = [];
      for (const name of ['echo-event', 'echoer']) {
        eventEmitter.on(name, ({ method }) => emitted.push(name + ' ' + method));
      }
      const flow = await flows(new FunctionFlow({ debug: false, msDelay: 1 }, eventEmitter), input);
      const prices = fs.readFileSync(path.join(__dirname, 'prices.csv'), 'utf8').trim().split('\\n');
      const output = {
        flow,
        classes: FunctionFlow === require('functionflowx') && Echoer === require('echoer') && typeof new Echo().log === 'function',
        price: prices[0].split(',')[1],
        logo: fs.readFileSync(path.join(__dirname, 'logo.gif')).toString('base64'),
        pin: inputSecret.pin + 1,
        folder: readFolder(),
      };
      if (global.trawl.execution_id === 'local') return output;

      const echo = new Echo(true, 1, eventEmitter, 30000, 'shop');
      await echo.log('page', { n: 1 }, true);
      const answer = echo.question('Which page?');
      eventEmitter.emit('echo-answer', 'shop', 'Which page?', 'the last');
      await new Echoer(true, 1, eventEmitter).warn('slow');
      console.log('\\u001b[32mgreen\\u001b[0m');
      return { ...output, emitted, answer: await answer };
    };`,
  'flows.js': `
    const add = (x, lib) => x + lib.step;
    const addTo = x => ({ a: x.a + 1 });
    const again = ff => x => {
      if (ff.iteration === 2) ff.jump(10);
      return x;
    };
    module.exports = async (ff, x) => {
      ff.libInject({ step: 1 });
      ff.xInject(x);
      await ff.serial([add, add, add, add]);
      const added = ff.x;
      ff.xInject({ a: x });
      await ff.serial([addTo, addTo, addTo]);
      await ff.repeat(3);
      const repeated = ff.x;
      ff.xInject(x);
      await ff.parallelAll([add, n => n + 2]);
      const parallel = ff.x;
      ff.xInject(x);
      await ff.serial([add, add, n => add(again(ff)(n), ff.lib)]);
      await ff.repeat(10);
      return [added, repeated, parallel, ff.x];
    };`,
  'counter.js': 'exports.count = 0;',
  'steps/index.js': `
    exports.dirname = __dirname;
    exports.filename = __filename;
    exports.load = name => require('./' + name);`,
  'steps/a.js': "const counter = require('../counter'); module.exports = () => (counter.count += 1);",
  'steps/b.js': "const counter = require('../counter'); module.exports = () => (counter.count += 10);",
  // Not for the run. It must not fail the build.
  'page-script.js': "import { render } from 'no-such-library';",
  'logo.gif': GIF,
  'prices.csv': 'A,3\nB,4\n',
  'input.json': '5',
  'input-books.json': '["Sails"]',
  'inputSecret.json': '{ "pin": 1234 }',
  'howto.html': '<p>Start it.</p>',
  'input.html': '<form></form>',
  'dist/mainBundle.js': 'old',
  'dex8auth.json': '{ "token": "older-token" }',
  '.env': 'TOKEN=1',
  'node_modules/x/index.js': '',
};

/** The page that `BROWSER_SKRIPT` opens. */
export const PAGE = `<!doctype html><title>Form</title><h1>Order</h1>
<select id="size"><option value="s">Small</option><option value="l">Large</option></select>`;

/** A skript in the older layout that says nodejs, requires Puppeteer, and calls what Puppeteer has removed. */
export const BROWSER_SKRIPT = {
  'manifest.json': manifest(),
  'package.json': JSON.stringify({
    dependencies: { puppeteer: '^5.0.0', 'pptr-plus': '^77.0.0', '@mikosoft/httpclient-pptr': '^3.0.0' },
  }),
  'main.js': `
    const puppeteer = require('puppeteer');
    const PptrPlus = require('pptr-plus');
    const { HttpClientPptr, HttpClientPptr_v2 } = require('@mikosoft/httpclient-pptr');

    module.exports = async site => {
      const browser = await puppeteer.launch({ headless: false, devtools: true, args: ['--start-maximized'] });
      const page = await browser.newPage();
      await page.emulate(puppeteer.devices['iPhone X']);
      await page.goto(site);
      const handles = [...await page.$x('//h1'), await page.waitForXPath('//h1', { timeout: 5000 })];
      const found = await Promise.all(handles.map(handle => handle.evaluate(node => node.textContent)));
      await page.waitForTimeout(1);
      await page.waitFor('h1');
      await new PptrPlus(page).selectOptionByText('#size', 'arge');
      const size = await page.$eval('#size', node => node.value);
      const isPhone = (await page.evaluate(() => navigator.userAgent)).includes('iPhone');
      await browser.close();

      const client = new HttpClientPptr({ closeBrowser: true });
      client.injectPuppeteer(puppeteer);
      client.set_device({ userAgent: 'Desktop', viewport: { width: 700, height: 500 } });
      const answer = await client.askOnce(site);
      const older = await new HttpClientPptr_v2({ closeBrowser: true }).ask(site);
      const agent = answer.req.headers['user-agent'];
      return { found, isPhone, size, clients: [answer.status, older.status], agent };
    };`,
  'howto.html': '<p>Start it.</p>',
};
