import { PATTERNS } from '../prose/patterns.mjs';
import { sentencesOf } from '../prose/sentences.mjs';

test('the prose check finds the sentences of comments and API texts, with the line of their paragraph', () => {
  const source = [
    '/** Retries the upload. Waits between attempts. */',
    "const url = 'http://x'; // The proxy adds the port.",
    '/**',
    ' * A comment of',
    ' * two lines.',
    ' */',
    "@ApiOperation({ summary: 'Start a run', description: 'Starts it at once.' })",
  ].join('\n');
  expect(sentencesOf('a.ts', source)).toEqual([
    { line: 1, text: 'Retries the upload.' },
    { line: 1, text: 'Waits between attempts.' },
    { line: 2, text: 'The proxy adds the port.' },
    { line: 4, text: 'A comment of two lines.' },
    { line: 7, text: 'Start a run' },
    { line: 7, text: 'Starts it at once.' },
  ]);
});

test('the prose check leaves out code blocks of a document', () => {
  const page = ['Start it:', '', '```sh', '# Whoever reads this', '```', '- Then wait.'].join('\n');
  expect(sentencesOf('a.md', page)).toEqual([
    { line: 1, text: 'Start it:' },
    { line: 6, text: 'Then wait.' },
  ]);
});

test.each([
  'What is refused may be so because of what is different now.',
  'A run that fails goes on.',
  'Whoever leaves stops waiting.',
])('the prose check has advice for %j', sentence => {
  expect(PATTERNS.filter(([pattern]) => pattern.test(sentence))).not.toEqual([]);
});

test.each([
  'The worker retries the upload.',
  'What does a worker need?',
  'Choose a worker, then go on to the next page.',
])('the prose check has no advice for %j', sentence => {
  expect(PATTERNS.filter(([pattern]) => pattern.test(sentence))).toEqual([]);
});
