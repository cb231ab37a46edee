import type { StorageAnswer } from '@trawl/contracts';
import { decodeMessage, encodeMessage } from '../../../packages/storage/test/bson-messages.js';
import { platform } from './worker.js';

const stored: StorageAnswer = { result: encodeMessage({ inserted_count: 1 }) };
const full: StorageAnswer = { error: { code: 'storage_full', message: 'Your databases are full.' } };

const rows = (): number[] =>
  platform.storage.flatMap(({ op }) => (decodeMessage(op.args).docs as { n: number }[]).map(({ n }) => n));
const pushing = (body: string): string => `
  const { dataset } = require('@trawl/storage');
  module.exports = async () => { ${body} };`;

describe('rows that a run pushes', () => {
  beforeEach(() => platform.forget());

  test('are stored before the run ends, even if the skript does not await the push', async () => {
    let answer = () => {};
    platform.answerStorage = () =>
      new Promise(resolve => {
        answer = () => resolve(stored);
      });
    const id = await platform.start(pushing('for (let n = 1; n <= 9; n++) dataset.push({ n }); return 1;'));
    await platform.until(() => platform.storage.length === 1, 'the rows');
    expect(rows()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(platform.storage[0]?.op).toMatchObject({ method: 'insertMany', rows: 9 });
    expect(platform.finishes.has(id)).toBe(false);
    answer();
    expect(await platform.ended(id)).toMatchObject({ action: 'end', output: '1', rows: 9 });
  });

  test('make the run fail if they cannot be stored, unless the skript handles the error', async () => {
    platform.answerStorage = () => full;
    for (const after of ['return 1;', 'await new Promise(() => setInterval(() => {}, 1000));']) {
      expect(await platform.run(pushing(`dataset.push({ n: 1 }); ${after}`))).toMatchObject({
        action: 'error',
        error_code: 'exception',
        error_stack: expect.stringContaining('StorageError: dataset.push: Your databases are full.'),
      });
    }
    const handled = pushing('return dataset.push({ n: 1 }).catch(error => error.code);');
    expect(await platform.run(handled)).toMatchObject({ action: 'end', output: '"storage_full"' });
  });

  test('are stored even if the skript then throws, and the run fails with the skript’s error', async () => {
    platform.answerStorage = () => stored;
    expect(await platform.run(pushing(`dataset.push([{ n: 1 }, { n: 2 }]); throw new Error('mine');`))).toMatchObject({
      action: 'error',
      error_stack: expect.stringContaining('Error: mine'),
    });
    expect(rows()).toEqual([1, 2]);
  });
});
