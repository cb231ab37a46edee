import { PassThrough } from 'node:stream';
import { readPassword } from './terminal.js';

const PROMPTS = ['New password: ', 'Repeat it: '];
const { stdin } = process;
let shown = '';

beforeEach(() => {
  shown = '';
  jest.spyOn(process.stderr, 'write').mockImplementation(text => {
    shown += text;
    return true;
  });
  jest.spyOn(process.stdout, 'write').mockImplementation(text => {
    shown += text;
    return true;
  });
});
afterEach(() => {
  jest.restoreAllMocks();
  Object.defineProperty(process, 'stdin', { value: stdin });
});

/** Replaces the keyboard. Returns how to type, which a person does after a prompt. */
function keyboard(isTTY: boolean): (keys: string) => void {
  const keys = Object.assign(new PassThrough(), { isTTY, setRawMode: () => keys });
  Object.defineProperty(process, 'stdin', { value: keys });
  return text => void keys.write(text);
}

it('trawl-admin asks twice for a password at a terminal, and never shows it', async () => {
  const type = keyboard(true);
  const password = readPassword();
  type('correct horse\r');
  await new Promise(setImmediate);
  expect(shown.replaceAll('\n', '')).toBe(PROMPTS.join(''));
  type('correct horse\r');
  expect(await password).toBe('correct horse');
  expect(shown.replaceAll('\n', '')).toBe(PROMPTS.join(''));
});

it('trawl-admin rejects two passwords that differ, stops at Ctrl-C, and says that nothing was changed', async () => {
  const type = keyboard(true);
  const password = readPassword();
  type('correct horse\r');
  await new Promise(setImmediate);
  type('correct house\r');
  await expect(password).rejects.toThrow('The passwords differ. Nothing was changed.');
  const cancelled = readPassword();
  type('corr\x03');
  await expect(cancelled).rejects.toThrow('Cancelled. Nothing was changed.');
});

it('trawl-admin reads a password from a pipe without a prompt', async () => {
  const type = keyboard(false);
  const password = readPassword();
  type('correct horse\r\n');
  (process.stdin as unknown as PassThrough).end();
  expect(await password).toBe('correct horse');
  expect(shown).toBe('');
});
