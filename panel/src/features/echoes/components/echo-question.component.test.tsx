import { act, screen, waitFor, within } from '@testing-library/react';
import type { Action, Echo } from '@trawl/contracts';
import { useState } from 'react';
import { sendEchoes, testSocket } from '../../../test-live.js';
import { changes, fill, press, showScreen } from '../../../test-screen.js';
import { RealtimeEchoes } from './realtime-echoes.js';

jest.mock('../../../live/live-socket.js', () => ({ liveSocket: () => testSocket }));

const ANSWER = 'POST /joint-api/skript-execution/e1/answers';
const time = '2026-01-01T00:00:00.000Z';
const QUESTION = { type: 'question' as const, msg: 'Which page?\n• first\n• last', time, seq: 1 };
const CODE = { type: 'question' as const, msg: 'Code?', time, seq: 2 };
const CLOSED = { type: 'answer' as const, msg: '#1 answered', time, seq: 3 };

// The virtualizer renders visible lines only, and jsdom has no layout.
beforeEach(() => {
  jest.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(400);
  jest.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(25);
});
afterEach(() => jest.restoreAllMocks());

/** Sends live echoes, and waits until they are drawn. */
const send = async (items: Echo[]) => {
  await act(async () => sendEchoes('e1', items));
  const last = String(items.at(-1)?.seq);
  await waitFor(() => expect(within(screen.getByRole('log')).getByText(last)).toBeDefined());
};

let endRun: () => void;

function Run({ from }: { from: Action }) {
  const [action, setAction] = useState(from);
  endRun = () => setAction('end');
  return <RealtimeEchoes executionId="e1" action={action} onShowSaved={() => {}} />;
}

const show = async (
  echoes: Echo[],
  answer: { status?: number; body: unknown } = { body: { delivered: true } },
  action: Action = 'start',
) => {
  showScreen(<Run from={action} />, {
    [ANSWER]: answer,
    'GET /joint-api/echoes/e1/list': ({ call }) => {
      const type = new URL(call.slice(4), 'http://x').searchParams.get('type');
      // As if so many echoes came after the questions that the first page lacks them.
      const items = type === null ? [] : echoes.filter(echo => echo.type === type);
      return { body: { total: 0, items, next_after_seq: null } };
    },
  });
  await act(async () => undefined);
};

const open = () => screen.findByRole('region', { name: 'Open questions' });

it('a user answers a question of a run with one of its choices', async () => {
  await show([QUESTION]);
  await press('last');
  expect(await screen.findByText('Answered.')).toBeDefined();
  expect(changes()).toEqual([{ call: ANSWER, body: { seq: 1, answer: 'last' } }]);
  expect(screen.queryByRole('button', { name: 'first' })).toBeNull();
});

it('a user answers a question without choices by text, and sees why an answer is refused', async () => {
  const error_message = 'The question of echo 2 is closed.';
  await show([CODE], { status: 409, body: { error_message, error_code: 'conflict', request_id: 'r' } });
  await fill('Code?', '123456');
  await press('Answer');
  expect((await screen.findByRole('alert')).textContent).toBe(error_message);
  expect(changes()).toEqual([{ call: ANSWER, body: { seq: 2, answer: '123456' } }]);
});

it('open questions of a run stay below its echoes until they are answered', async () => {
  await show([]);
  await send([QUESTION, CODE]);
  expect(within(await open()).getByText('Which page?')).toBeDefined();
  expect(screen.getByRole('log').contains(await open())).toBe(false);
  await send([CLOSED]);
  expect(within(await open()).queryByText('Which page?')).toBeNull();
  await send([{ ...CLOSED, msg: '#2 closed', seq: 4 }]);
  expect(screen.queryByRole('region', { name: 'Open questions' })).toBeNull();
});

it('questions of a run that has ended are shown as text without an Answer button', async () => {
  await show([QUESTION, CODE], undefined, 'end');
  expect(screen.queryByRole('button', { name: 'Answer' })).toBeNull();
  expect(screen.queryByRole('region', { name: 'Open questions' })).toBeNull();
});

const field = () => screen.getByLabelText('Code?') as HTMLInputElement;

it.each([
  ['was answered elsewhere', () => send([{ ...CLOSED, msg: '#2 answered' }])],
  ['belongs to a run that ended', () => act(async () => endRun())],
])('the text typed for a question that %s is kept until the user dismisses it', async (_, close) => {
  await show([CODE]);
  await fill('Code?', '1234');
  await close();
  expect(screen.getByText(/answered elsewhere, or the run stopped waiting. Your text was not used/)).toBeDefined();
  expect([field().value, field().readOnly]).toEqual(['1234', true]);
  await press('Dismiss');
  expect(screen.queryByRole('region', { name: 'Open questions' })).toBeNull();
  expect(changes()).toEqual([]);
});

it('the user’s own answer is not reported as “answered elsewhere” if its echo arrives before the response', async () => {
  await show([CODE]);
  await fill('Code?', '1234');
  const { fetch } = globalThis;
  let respond: () => void = () => {};
  const response = new Promise<void>(resolve => {
    respond = resolve;
  });
  globalThis.fetch = (...call) => response.then(() => fetch(...call));
  await press('Answer');
  await waitFor(() => expect(screen.getByRole('button', { name: 'Answer' }).getAttribute('aria-busy')).toBe('true'));
  await send([{ ...CLOSED, msg: '#2 answered' }]);
  expect(screen.queryByText(/answered elsewhere/)).toBeNull();
  await act(async () => respond());
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Open questions' })).toBeNull());
  expect(changes()).toHaveLength(1);
});

it('after an answer, the focus moves to the next open question, then to the echoes', async () => {
  await show([QUESTION, CODE]);
  (await screen.findByRole('button', { name: 'last' })).focus();
  await press('last');
  await screen.findByText('Answered.');
  expect(document.activeElement).toBe(field());
  await fill('Code?', '1234');
  await press('Answer');
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('log')));
});
