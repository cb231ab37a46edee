import type { Echo } from '@trawl/contracts';
import { closedQuestions } from './questions.js';

test('an answer closes the question that it names', () => {
  const echo = (type: Echo['type'], msg: string) => ({ type, msg, time: '', seq: 1 });
  const echoes = [echo('answer', '#12 answered'), echo('log', '#13 answered'), echo('answer', '#140 closed')];
  expect([...closedQuestions(echoes)]).toEqual([12, 140]);
});
