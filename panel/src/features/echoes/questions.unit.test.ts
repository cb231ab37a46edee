import type { Echo } from '@trawl/contracts';
import { addQuestions, NO_QUESTIONS, openQuestions } from './questions.js';

const echo = (seq: number, type: Echo['type'], msg: string): Echo => ({ type, msg, time: '', seq });
const openAfter = (...batches: Echo[][]): number[] =>
  openQuestions(batches.reduce(addQuestions, NO_QUESTIONS)).map(({ seq }) => seq);

test('a question of a run is open until an answer names it, even if the answer arrives first', () => {
  const asked = [echo(12, 'question', 'Page?'), echo(13, 'question', 'Code?')];
  expect(openAfter(asked, asked)).toEqual([12, 13]);
  expect(openAfter(asked, [echo(14, 'answer', '#12 answered'), echo(15, 'log', '#13 answered')])).toEqual([13]);
  expect(openAfter([echo(14, 'answer', '#13 closed')], asked)).toEqual([12]);
});

test('addQuestions returns the same object for other echoes, so that the panel does not render again', () => {
  const questions = addQuestions(NO_QUESTIONS, [echo(1, 'question', 'Page?')]);
  expect(addQuestions(questions, [echo(2, 'log', 'Page 1')])).toBe(questions);
});
