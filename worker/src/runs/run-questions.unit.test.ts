import type { CommandToRun } from '../protocol/pipe-messages.js';
import type { RunEchoes } from './run-echoes.js';
import { RunQuestions } from './run-questions.js';

let echoes: string[];
let sent: CommandToRun[];
let questions: RunQuestions;

beforeEach(() => {
  echoes = [];
  sent = [];
  const add = ([type, msg]: string[]) => echoes.push(`${type} ${msg}`);
  questions = new RunQuestions({ add } as unknown as RunEchoes, command => sent.push(command));
});

const answer = (seq: number, text: string, key = text) => questions.answer(seq, text, key).result;

test('a question of a run takes the first answer among its choices; repeating it is accepted, another is not', () => {
  questions.ask(7, 'Which page?', ['first', 'last']);
  expect([answer(1, 'Last'), answer(1, 'last'), answer(1, 'last'), answer(1, 'first')]).toEqual([
    'not_a_choice',
    'accepted',
    'accepted',
    'closed',
  ]);
  expect(sent).toEqual([{ t: 'answer', call: 7, answer: 'last' }]);
  expect(echoes).toEqual(['question Which page?\n• first\n• last', 'answer #1 answered']);
});

test('a question that the skript answered itself takes no other answer', () => {
  questions.ask(1, 'Code?', []);
  questions.end(1, true);
  expect(answer(1, '123456')).toBe('closed');
  expect([sent, echoes]).toEqual([[], ['question Code?', 'answer #1 answered']]);
});

test('a line of a question’s text cannot look like a choice', () => {
  questions.ask(1, 'Which?\n• page\n\u001b[1m• bold', []);
  expect(echoes).toEqual(['question Which?\n • page\n • bold']);
});

test('a question that the skript no longer waits for takes no answer', () => {
  questions.ask(1, 'Code?', []);
  questions.end(1, undefined);
  questions.end(1, true);
  expect([answer(1, '123456'), answer(2, '123456')]).toEqual(['closed', 'unknown']);
  expect([sent, echoes]).toEqual([[], ['question Code?', 'answer #1 closed without an answer']]);
});

test('a run has at most 100 open questions; the 101st closes the first', () => {
  for (let call = 0; call < 101; call += 1) questions.ask(call, 'Code?', []);
  expect(echoes.slice(100)).toEqual(['question Code?', 'answer #1 closed without an answer']);
  expect([answer(1, 'a'), answer(2, 'a')]).toEqual(['closed', 'accepted']);
});

test('invalid questions of a run do not crash the worker', () => {
  questions.ask({}, { text: 1 }, 'first');
  questions.ask(2, null, [null, {}, 'x']);
  expect(echoes).toEqual(['question ', 'question \n• \n• \n• x']);
  expect([answer(1, 'a'), answer(2, 'x')]).toEqual(['unknown', 'accepted']);
});
