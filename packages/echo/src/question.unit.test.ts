import { EventEmitter } from 'node:events';
import { type EchoMessage, echo } from './index.js';
import { OlderEcho } from './older-echo.js';

interface Asked {
  text: string;
  choices: string[];
  answer: (answer: string) => void;
  isOver: boolean;
}

const QUESTIONS = Symbol.for('trawl.questions');
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let asked: Asked[];
let sent: string[];

/** Stands for the runner. */
beforeEach(() => {
  asked = [];
  sent = [];
  const eventEmitter = new EventEmitter();
  eventEmitter.on('echo', ({ type }: EchoMessage) => sent.push(type));
  Object.assign(globalThis, {
    trawl: { eventEmitter },
    [QUESTIONS]: (question: Pick<Asked, 'text' | 'choices'>, answer: Asked['answer']) => {
      const one = { ...question, answer, isOver: false };
      asked.push(one);
      return () => {
        one.isOver = true;
      };
    },
  });
});

afterEach(() => {
  Reflect.deleteProperty(globalThis, 'trawl');
  Reflect.deleteProperty(globalThis, QUESTIONS);
});

test('echo.question sends its image first, and resolves to the answer', async () => {
  const answer = echo.question('Which page?', { choices: ['first', 'last'], image: PNG });
  expect([sent, asked.length]).toEqual([['image'], 1]);
  expect(asked[0]).toMatchObject({ text: 'Which page?', choices: ['first', 'last'] });
  asked[0]?.answer('last');
  await expect(answer).resolves.toBe('last');
});

test('two open questions with the same text each get their own answer', async () => {
  const answers = [echo.question('Code?'), echo.question('Code?')];
  asked[1]?.answer('two');
  asked[0]?.answer('one');
  expect(await Promise.all(answers)).toEqual(['one', 'two']);
});

test('echo.question rejects after its timeout, and closes the question', async () => {
  await expect(echo.question('Code?', { timeout: 5 })).rejects.toThrow("No answer for 'Code?' within 5ms");
  expect(asked[0]?.isOver).toBe(true);
});

test.each([
  ['a text that is none', 7, {}, 'expected a text'],
  ['choices twice', 'a', { choices: ['b', 'b'] }, 'different texts'],
  ['21 choices', 'a', { choices: Array.from({ length: 21 }, (_, n) => `${n}`) }, 'at most 20'],
  ['a choice of two lines', 'a', { choices: ['b\nc'] }, 'one line'],
  ['an empty choice', 'a', { choices: [''] }, '1 to 200 characters'],
  ['no time', 'a', { timeout: 0 }, 'between 1 and 2147483647; got 0'],
  ['a time beyond timers', 'a', { timeout: 2 ** 31 }, 'between 1 and 2147483647'],
  ['an image that is none', 'a', { image: 'https://example.com/a.png' }, 'echo.image'],
])('echo.question rejects %s and asks nothing', async (_, text, options, message) => {
  await expect(echo.question(text as string, options)).rejects.toThrow(message);
  expect(asked).toEqual([]);
});

test('echo.question rejects at once outside a run', async () => {
  Reflect.deleteProperty(globalThis, QUESTIONS);
  await expect(echo.question('Code?')).rejects.toThrow('works only in a run');
});

describe('question of the older Echo', () => {
  test('resolves to the answer from the platform', async () => {
    const emitter = new EventEmitter();
    const answer = new OlderEcho(true, 0, emitter, 60_000, 'shop').question('Which page?');
    expect(asked[0]).toMatchObject({ text: 'Which page?', choices: [] });
    asked[0]?.answer('last');
    await expect(answer).resolves.toBe('last');
    expect([sent, emitter.listenerCount('echo-answer')]).toEqual([[], 0]);
  });

  test('closes the question when the skript answers it itself, or at its timeout', async () => {
    const emitter = new EventEmitter();
    const answer = new OlderEcho(true, 0, emitter, 60_000).question('Which page?');
    emitter.emit('echo-answer', '', 'Which page?', 3);
    await expect(answer).resolves.toBe(3);
    await expect(new OlderEcho(true, 0, emitter, 1).question('Code?')).rejects.toThrow(
      "No answer for 'Code?' within 1ms",
    );
    expect(asked.map(({ isOver }) => isOver)).toEqual([true, true]);
  });
});
