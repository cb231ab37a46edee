import { clean, cleanLine, safeJson } from './clean.js';
import { localClock, localTime } from './local-time.js';
import { Output } from './output.js';

/** Texts with which a stranger could control a terminal, or deceive the person at it. */
const HOSTILE = {
  colour: '\x1b[31mred',
  'cleared screen': '\x1b[2J\x1b[H',
  title: '\x1b]0;evil\x07',
  link: '\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\',
  'C1 control': '\x9b31mred',
  'cursor and bell': 'a\rb\x08\x07',
  'reversed text': 'main\u202egpj.js',
  separators: 'a\u2028b',
};

/** Control characters but tab and line feed, and characters that reorder text. */
const CONTROL = /(?![\t\n])\p{Cc}|[\u2028-\u202e\u2066-\u2069]/u;

function outputs(isJson: boolean) {
  let text = '';
  const write = (piece: string) => {
    text += piece;
    return true;
  };
  const stream = { isTTY: false, write } as NodeJS.WriteStream;
  return { output: new Output(isJson, stream, stream), written: () => text };
}

describe.each(Object.entries(HOSTILE))('hostile text (%s)', (_name, text) => {
  it('cannot control the terminal, whichever function prints it', () => {
    const { output, written } = outputs(false);
    output.result(null, text);
    output.note(text);
    output.warn(text);
    output.error(text);
    output.echo({ type: 'error', msg: text, time: text });
    output.table([{ text }], { TEXT: ({ text }: { text: string }) => text }, '');
    expect(written()).not.toMatch(CONTROL);
    expect(clean(text)).not.toMatch(CONTROL);
  });

  it('is escaped in JSON, and keeps its value', () => {
    const json = safeJson({ text }, 2);
    expect(json).not.toMatch(CONTROL);
    expect(JSON.parse(json)).toEqual({ text });
  });
});

it.each([
  [-345, '+05:45'],
  [0, '+00:00'],
  [210, '-03:30'],
])('the terminal shows times in the time zone of this computer: %d minutes from UTC', (offset, zone) => {
  jest.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(offset);
  jest.spyOn(Date.prototype, 'getHours').mockReturnValue(7);
  expect(localTime('2026-02-15T09:30:05.123Z')).toMatch(/^2026-02-1\d 07:\d\d:05/);
  expect(localClock('2026-02-15T09:30:05.123Z')).toMatch(/^07:\d\d:05/);
  expect(localTime('2026-02-15T09:30:05.123Z').slice(-6)).toBe(zone);
  jest.restoreAllMocks();
});

it.each(['', 'soon', '\x1b[2J', '+275760-09-13T00:00:00.001Z'])(
  'the terminal shows an invalid time of an echo as a dash: %j',
  time => {
    expect([localTime(time), localClock(time)]).toEqual(['-', '-']);
  },
);

it('the terminal prints a table cell on one line, without line breaks and tabs', () => {
  expect(cleanLine('a\nb\tc ')).toBe('a b c');
});

it('the terminal indents further lines of an echo, so that none looks like another echo', () => {
  const { output, written } = outputs(false);
  output.echo({
    type: 'error',
    msg: 'TITLE  PRICE\nEmma   3\n\n10:30:00+01:00 Signed in',
    time: '2026-02-15T09:30:05Z',
  });
  output.echo({ type: 'log', msg: 'a\nb', time: 'soon' });
  const indent = ' '.repeat('10:30:05+01:00 '.length);
  expect(written().split('\n')).toEqual([
    expect.stringMatching(/^\d\d:30:05\+\d\d:\d\d error: TITLE {2}PRICE$/),
    `${indent}Emma   3`,
    indent,
    `${indent}10:30:00+01:00 Signed in`,
    '- a',
    '  b',
    '',
  ]);
});

it('errors and warnings are printed without colours if the output is a pipe', () => {
  const { output, written } = outputs(false);
  output.error('failed');
  output.warn('careful');
  expect(written()).toBe('failed\nWarning: careful\n');
});

it('with --json, a table without rows is printed as an empty JSON array', () => {
  const { output, written } = outputs(true);
  output.table([], { A: () => 'a' }, 'nothing');
  expect(written()).toBe('[]\n');
});
