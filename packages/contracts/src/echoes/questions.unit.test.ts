import { answerMessage, closedQuestion, parseQuestion, questionMessage } from './questions.js';

test('a question echo consists of its text and one line for each choice', () => {
  expect(questionMessage({ text: 'Which\npage?', choices: ['first', 'last'] })).toBe('Which\npage?\n• first\n• last');
});

test.each([
  ['Code?', []],
  ['Which page?', ['first', 'the • last', '• marked', ' indented']],
  ['Which\n• page?\n• or this', []],
  ['• only', []],
  ['• a\n • b\n  • c\n\u2028• d\r\n• e\r• f', ['g']],
  ['  •no mark\n\n', ['']],
  ['', ['a']],
])('parseQuestion reads back the text %j with the choices %j', (text, choices) => {
  expect(parseQuestion(questionMessage({ text, choices }))).toEqual({ text, choices });
});

test('an answer echo names the sequence number of the question that it closes', () => {
  expect([answerMessage(12, true), answerMessage(12, false)]).toEqual(['#12 answered', '#12 closed without an answer']);
  expect([closedQuestion('#12 answered'), closedQuestion('12 answered')]).toEqual([12, undefined]);
});
