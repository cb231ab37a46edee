import { screen } from '@testing-library/react';
import { changes, fill, press, showScreen } from '../../../test-screen.js';
import { consoleLines } from '../echo-buffer.js';
import { EchoConsole } from './echo-console.js';

const ANSWER = 'POST /joint-api/skript-execution/e1/answers';
const time = '2026-01-01T00:00:00.000Z';
const QUESTION = { type: 'question' as const, msg: 'Which page?\n• first\n• last', time, seq: 1 };
const CODE = { type: 'question' as const, msg: 'Code?', time, seq: 2 };
const CLOSED = { type: 'answer' as const, msg: '#1 answered', time, seq: 3 };

// The virtualizer renders visible lines only, and jsdom has no layout.
beforeEach(() => {
  jest.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(400);
});
afterEach(() => jest.restoreAllMocks());

const show = (
  echoes: Parameters<typeof consoleLines>[0],
  answer: { status?: number; body: unknown } = { body: { delivered: true } },
  executionId: string | undefined = 'e1',
) =>
  showScreen(
    <EchoConsole lines={consoleLines(echoes)} executionId={executionId} follow={false} emptyText="Nothing." />,
    { [ANSWER]: answer },
  );

it('answers a question with one of its choices', async () => {
  show([QUESTION]);
  await press('last');
  expect(await screen.findByText('Answered.')).toBeDefined();
  expect(changes()).toEqual([{ call: ANSWER, body: { seq: 1, answer: 'last' } }]);
  expect(screen.queryByRole('button', { name: 'first' })).toBeNull();
});

it('answers a question without choices with a text, and shows why an answer is refused', async () => {
  const error_message = 'The question of echo 2 is closed.';
  show([CODE], { status: 409, body: { error_message, error_code: 'conflict', request_id: 'r' } });
  await fill('Code?', '123456');
  await press('Answer');
  expect((await screen.findByRole('alert')).textContent).toBe(error_message);
  expect(changes()).toEqual([{ call: ANSWER, body: { seq: 2, answer: '123456' } }]);
});

it('asks only for the answers to open questions of a live run', () => {
  show([QUESTION, CODE, CLOSED]);
  expect(screen.queryByRole('button', { name: 'last' })).toBeNull();
  expect(screen.getByRole('button', { name: 'Answer' })).toBeDefined();
  expect(screen.getByText(/• first/)).toBeDefined();
});

it('shows the questions of a run that is over as text', () => {
  showScreen(<EchoConsole lines={consoleLines([QUESTION, CODE])} follow={false} emptyText="Nothing." />, {});
  expect(screen.queryAllByRole('button')).toEqual([]);
  expect(screen.getByText('Code?')).toBeDefined();
});
