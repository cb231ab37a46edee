import { firstEcho, until } from '../run-processes.js';
import { platform } from './worker.js';

const go = (id: string) => platform.answer({ id, seq: 1, answer: 'go', key: 'go' });

test('every echo is saved once, in order, whether a library, the console or a child process sent it', async () => {
  const id = await platform.start(`
    const { echo } = require('@trawl/echo');
    const { execFileSync } = require('node:child_process');
    module.exports = async () => {
      echo.log('%s, "quoted"\\nand a second line', 'one');
      console.log('two\\nthree');
      console.error('four');
      echo.objekt({ five: 5n });
      process.stdout.write('six without an end');
      echo.warn('seven');
      trawl.eventEmitter.emit('echo', { type: 'nonsense', msg: 8, time: 'never' });
      trawl.eventEmitter.emit('echo', { type: 'image', msg: 'javascript:alert(1)', time: 'never' });
      await new Promise(done => setTimeout(done, 50));
      execFileSync('echo', ['printed by a child'], { stdio: 'inherit' });
    };`);
  const echoes = await platform.echoes(id);
  expect(echoes.map(({ type, msg }) => [type, msg])).toEqual([
    ['log', 'one, "quoted"\nand a second line'],
    ['log', 'two'],
    ['log', 'three'],
    ['error', 'four'],
    ['objekt', '{"five":"5n"}'],
    ['warn', 'seven'],
    ['log', '8'],
    ['warn', 'An image echo was dropped: it is not a data URL of a PNG, JPEG, GIF or WebP image.'],
    ['log', expect.stringMatching(/six without an end|printed by a child/)],
    ['log', expect.stringMatching(/six without an end|printed by a child/)],
  ]);
  expect(echoes.map(({ seq }) => seq)).toEqual(echoes.map((_, at) => at + 1));
  for (const { time } of echoes) expect(new Date(time).toISOString()).toBe(time);
});

test('a question of a run takes the first valid answer, which is not saved, or ends without one in time', async () => {
  const id = await platform.start(`
    const { echo } = require('@trawl/echo');
    module.exports = async () => {
      const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
      const page = await echo.question('Which page?', { choices: ['first', 'last'], image });
      const code = await echo.question('Code?', { timeout: 1 }).catch(error => error.message);
      return [page, code];
    };`);
  await until(
    () => platform.read(id, 1, 2),
    echoes => echoes.length === 2,
  );
  const answer = (seq: number, text: string) => platform.answer({ id, seq, answer: text, key: text });
  expect(await answer(1, 'last')).toEqual({ result: 'unknown' });
  expect(await answer(2, 'middle')).toEqual({ result: 'not_a_choice' });
  const answers = await Promise.all([answer(2, 'last'), answer(2, 'first')]);
  expect(answers).toEqual([{ result: 'accepted' }, { result: 'closed' }]);
  expect(JSON.parse((await platform.ended(id)).output ?? '')).toEqual(['last', "No answer for 'Code?' within 1ms"]);
  expect((await platform.echoes(id)).slice(1).map(({ type, msg }) => [type, msg])).toEqual([
    ['question', 'Which page?\n• first\n• last'],
    ['answer', '#2 answered'],
    ['question', 'Code?'],
    ['answer', '#4 closed without an answer'],
  ]);
  expect(await answer(4, 'late')).toEqual({ result: 'unknown' });
});

test('100,000 echoes of a run are saved in order and without a gap, and other runs are served meanwhile', async () => {
  const flood = await platform.start(`
    const { echo } = require('@trawl/echo');
    module.exports = () => { for (let n = 1; n <= 100_000; n += 1) echo.log('echo number ' + n); };`);
  expect(await platform.run('module.exports = () => 1;')).toMatchObject({ action: 'end', output: '1' });
  const echoes = await platform.echoes(flood);
  expect(await platform.ended(flood)).toMatchObject({ action: 'end', error_code: null });
  expect(echoes).toHaveLength(100_000);
  expect(echoes.every(({ seq, msg }) => msg === `echo number ${seq}`)).toBe(true);
  expect(platform.chunks.get(flood)?.size).toBeGreaterThan(3);
});

test('echoes that are too long are cut and marked, and images that are too large are dropped', async () => {
  const id = await platform.start(`
    const { echo } = require('@trawl/echo');
    module.exports = () => {
      echo.log('x'.repeat(200_000));
      echo.image('/9j/' + 'A'.repeat(700_000));
      console.log('y'.repeat(9_000_000));
    };`);
  const echoes = await platform.echoes(id);
  expect(echoes[0]?.msg).toMatch(/^x+… \[cut: 200000 characters in all\]$/);
  expect(echoes[0]?.msg).toHaveLength(100_000);
  expect(echoes[1]).toMatchObject({ type: 'warn', msg: expect.stringContaining('An image of 700') });
  expect(echoes[2]?.msg).toMatch(/^y+… \[cut: 9000000 characters in all\]$/);
  expect(echoes).toHaveLength(3);
});

test('the worker sends echoes live while a run is watched, and lets the platform read earlier ones', async () => {
  const id = await platform.start(`
    const { echo } = require('@trawl/echo');
    module.exports = async () => {
      await echo.question('Go?');
      for (let n = 0; n < 3_000; n += 1) echo.log('after ' + n);
    };`);
  platform.watch(id);
  await firstEcho(platform, id);
  expect(await platform.read(id, 1, 10)).toMatchObject([{ seq: 1, type: 'question', msg: 'Go?' }]);
  expect(await platform.read(id, 2, 10)).toEqual([]);
  await go(id);
  const seen = () => platform.live.filter(batch => batch.id === id).flatMap(({ items }) => items);
  await platform.until(() => seen().at(-1)?.seq === 3_002, 'the last live echo');
  expect(seen().filter(({ msg }) => msg.startsWith('after'))).toHaveLength(3_000);
  for (const { from_seq, items } of platform.live) expect(items[0]?.seq).toBe(from_seq);
});

test('echoes and outputs that grow when escaped as JSON do not break the worker’s connection', async () => {
  const hellos = platform.hellos.length;
  const id = await platform.start(`
    const { echo } = require('@trawl/echo');
    module.exports = async () => {
      await echo.question('Go?');
      for (let n = 0; n < 20; n += 1) echo.log('\\0'.repeat(99_000));
    };`);
  await platform.firstEcho(id);
  await go(id);
  expect(await platform.ended(id)).toMatchObject({ action: 'end' });
  expect(await platform.echoes(id)).toHaveLength(22);
  const large = await platform.run(`module.exports = () => '"'.repeat(262_000);`);
  expect(large).toMatchObject({ error_code: 'output_too_large' });
  expect(platform.hellos).toHaveLength(hellos);
});

test('values of the input secret are redacted in echoes, errors and output', async () => {
  const skript = `
    module.exports = async (input, secret) => {
      console.log('logging in with', secret.password);
      if (input === 'fail') throw new Error('wrong password ' + secret.password);
      return { used: secret.password };
    };`;
  const input_secret = JSON.stringify({ password: 'hunter2-"and"-more' });
  const good = await platform.start(skript, { input_secret, input: '"go"' });
  expect(await platform.ended(good)).toMatchObject({ output: '{"used":"[secret]"}' });
  expect(await platform.echoes(good)).toMatchObject([{ msg: 'logging in with [secret]' }]);
  const bad = await platform.run(skript, { input_secret, input: '"fail"' });
  expect(bad.error_stack).toMatch(/^Error: wrong password \[secret\]\n/);
});

test('secret values are redacted if they are encoded, printed by a child process, or at the cut of a text', async () => {
  const password = 'hunter2-"and"/more';
  const id = await platform.start(
    `
    const { echo } = require('@trawl/echo');
    const { execFileSync } = require('node:child_process');
    module.exports = (input, { password }) => {
      echo.log(encodeURIComponent(password), new URLSearchParams({ password }).toString());
      echo.objekt({ authorization: 'Basic ' + Buffer.from('user:' + password).toString('base64'), body: JSON.stringify({ password }) });
      execFileSync('echo', [password], { stdio: 'inherit' });
      echo.warn('.'.repeat(99_960) + password + '.'.repeat(100_000));
      echo.objekt({ text: '.'.repeat(99_953) + password + '.'.repeat(100_000) });
      throw new Error('.'.repeat(63_945) + JSON.stringify({ password }) + '.'.repeat(100_000));
    };`,
    { input_secret: JSON.stringify({ password }) },
  );
  const { error_stack } = await platform.ended(id);
  const echoes = await platform.echoes(id);
  // The worker reads the child's output and the echoes from two pipes, so either can arrive first.
  expect(
    echoes
      .slice(0, 3)
      .map(({ msg }) => msg)
      .sort(),
  ).toEqual([
    '[secret]',
    '[secret] password=[secret]',
    expect.stringMatching(
      /^\{"authorization":"Basic dXNlcj.?\[secret\].?=*","body":"\{\\"password\\":\\"\[secret\]\\"\}"\}$/,
    ),
  ]);
  const all = [...echoes.map(({ msg }) => msg), error_stack].join();
  expect(echoes[3]?.msg).toMatch(/\.\[secret?\]?… \[cut: 199978 characters in all\]$/);
  expect(all.includes(password.slice(0, 3))).toBe(false);
});

test('terminal codes are removed from echoes, printed lines and errors, and secrets that they split redacted', async () => {
  const password = 'hunter2-and-more';
  const id = await platform.start(
    `
    const { echo } = require('@trawl/echo');
    const { execFileSync } = require('node:child_process');
    const styled = (code, text) => '\\u001b[' + code + 'm' + text + '\\u001b[0m';
    module.exports = (input, { password }) => {
      const split = password.slice(0, 4) + styled(31, password.slice(4, 8)) + password.slice(8);
      echo.log(styled('1;32', 'done'), split);
      echo.objekt({ text: styled(31, 'red') });
      console.log(styled(33, 'yellow'), split);
      console.error('.'.repeat(99_930) + split.repeat(3) + '.'.repeat(100));
      execFileSync('echo', [styled(34, 'child'), split], { stdio: 'inherit' });
      throw new Error(styled(31, 'wrong') + ' ' + split);
    };`,
    { input_secret: JSON.stringify({ password }) },
  );
  const { error_stack } = await platform.ended(id);
  const echoes = await platform.echoes(id);
  const texts = echoes.map(({ msg }) => msg);
  expect(texts.filter(text => text.length < 100)).toEqual([
    'done [secret]',
    '{"text":"red"}',
    'yellow [secret]',
    'child [secret]',
  ]);
  expect(texts.find(text => text.length > 100)).toMatch(/^\.+(\[secret\])+… \[cut: \d+ characters in all\]$/);
  expect(error_stack).toMatch(/^Error: wrong \[secret\]\n/);
});
