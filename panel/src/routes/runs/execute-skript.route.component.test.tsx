import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { UnsavedWorkGuard } from '../../components/unsaved/unsaved-work-guard.js';
import type { RunInputState } from '../../features/execute-skript/use-run-input.js';
import { storeSession } from '../../session/session-cookies.js';
import { endSession } from '../../session/session-end.js';
import { sendEchoes, testSocket } from '../../test-live.js';
import { changes, listOf, press, type Served, showScreen } from '../../test-screen.js';
import ExecuteSkriptRoute from './execute-skript.route.js';

let formRenders = 0;
let input: RunInputState;
jest.mock('../../live/live-socket.js', () => ({ liveSocket: () => testSocket }));
jest.mock('../../features/execute-skript/components/input-fields.js', () => ({
  InputFields: (props: { input: RunInputState }) => {
    formRenders += 1;
    input = props.input;
    return null;
  },
}));

const SKRIPT = { id: 's1', title: 'Books', category: 'general', bundle_hash: 'b', input_schema: null };
const EXECUTION = {
  id: 'r1',
  worker: { id: 'w1', name: 'laptop' },
  skript: { id: 's1', name: 'Books', category: 'general' },
  action: 'start',
  waiting_for: null,
  bundle_hash: 'b',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};

const open = async (
  execution: object = EXECUTION,
  skript: object = SKRIPT,
  start: Served = { body: EXECUTION },
  more: Record<string, Served> = {},
) => {
  storeSession({ username: 'ana', role: 'developer', token: 't' });
  showScreen(
    <>
      <ExecuteSkriptRoute />
      <UnsavedWorkGuard />
    </>,
    {
      'GET /joint-api/skripts/list': listOf(skript),
      'GET /joint-api/skripts/s1': { body: skript },
      'GET /joint-api/workers/list': listOf(),
      'GET /joint-api/inputs/list': listOf(),
      'GET /joint-api/input-secrets/list': listOf(),
      'POST /joint-api/inputs/addnew': { body: { id: 'i1' } },
      'POST /joint-api/execute-skript/single-worker/start': start,
      'GET /joint-api/skript-execution/r1': { body: execution },
      'GET /joint-api/echoes/r1/list': { body: { total: 0, items: [], next_after_seq: null } },
      ...more,
    },
    '/developer/execute-skript?skript_id=s1',
  );
  await screen.findByDisplayValue('Books');
  await act(async () => undefined);
};

it('the start page shows a new run without rendering its form again, which would delay the first echo', async () => {
  await open();
  const before = formRenders;
  await press('Run');
  await screen.findByRole('log', { name: 'Echoes' });
  expect(changes()).toHaveLength(1);
  expect(formRenders).toBe(before);
});

it('the start page warns before typed input is lost, but not after it was saved for a schedule', async () => {
  await open();
  act(() => input.setSource('json'));
  act(() => input.json.setInputText('{}'));
  await act(async () => fireEvent.click(screen.getByRole('link', { name: 'Open in the editor' })));
  await press('Stay');
  await press('Schedule…');
  await press('Save and continue');
  expect(changes().map(({ call }) => call)).toEqual(['POST /joint-api/inputs/addnew']);
  expect(screen.queryByText('This page has unsaved changes. They are lost if you leave.')).toBeNull();
});

it('the start page begins JSON text with the chosen saved input, which is not unsaved work', async () => {
  const saved = { id: 'i1', name: 'input.json', skript_id: 's1' };
  await open(EXECUTION, SKRIPT, undefined, {
    'GET /joint-api/inputs/list': listOf(saved),
    'GET /joint-api/inputs/i1': { body: { ...saved, val: { pages: 3 } } },
  });
  act(() => input.setSource('json'));
  await waitFor(() => expect(input.json.inputText).toBe('{\n  "pages": 3\n}'));
  expect(input.unsaved).toBeNull();
  act(() => input.json.setInputText('{ "pages": 4 }'));
  act(() => input.setSource('stored'));
  act(() => input.setSource('json'));
  expect([input.json.inputText, input.unsaved === null]).toEqual(['{ "pages": 4 }', false]);
});

it('the start page does not run, schedule or copy an input that the skript’s schema refuses', async () => {
  const skript = { ...SKRIPT, input_schema: { properties: { shop: { type: 'string', format: 'uri' } } } };
  await open(EXECUTION, skript);
  const pressAll = async () => {
    for (const end of ['Run', 'Schedule…', 'curl', 'JavaScript']) await press(end);
    expect(changes()).toEqual([]);
    expect(screen.queryByRole('dialog')).toBeNull();
  };
  act(() => input.setSource('form'));
  act(() => input.form?.setEntries({ shop: 'books' }));
  await pressAll();
  expect(input.form?.problems).toEqual({ fields: { shop: 'Enter a URL, such as https://example.com/' } });
  act(() => input.setSource('json'));
  await pressAll();
  expect(input.json.inputError).toBe('shop: Enter a URL, such as https://example.com/');
  act(() => input.json.setInputText('{ "n": 12345678901234567890 }'));
  await pressAll();
  expect(input.json.inputError).toContain('12345678901234567890 is too large to be kept exactly.');
  act(() => input.json.setInputText('{ "shop": "https://books.example/" }'));
  expect(input.json.inputError).toBeUndefined();
  await press('curl');
  expect(await screen.findByRole('dialog')).toBeTruthy();
});

it.each([
  ['JSON', () => act(() => input.json.setInputText('{ "pages": 3 }'))],
  ['Form', () => act(() => input.form?.setEntries({ pages: '3' }))],
])(
  'the start page restores input typed as %s if the session had ended when the user pressed Run',
  async (tab, type) => {
    const skript = { ...SKRIPT, input_schema: { properties: { pages: { type: 'integer' } } } };
    const body = { error_message: 'Sign in again.', error_code: 'unauthorized', request_id: 'r' };
    await open(EXECUTION, skript, { status: 401, body });
    act(() => input.setSource(tab === 'JSON' ? 'json' : 'form'));
    type();
    await press('Run');
    await waitFor(() => expect(document.cookie).not.toContain('ana'));
    cleanup();
    await open(EXECUTION, skript);
    expect(input.source).toBe(tab === 'JSON' ? 'json' : 'form');
    expect(tab === 'JSON' ? input.json.inputText : input.form?.entries.pages).toBe(
      tab === 'JSON' ? '{ "pages": 3 }' : '3',
    );
    expect(screen.getByText(/Your entries in this form from before you signed in are back/)).toBeTruthy();
    await press('Run');
    await screen.findByRole('log', { name: 'Echoes' });
    await waitFor(() => expect(input.unsaved).toBeNull());
  },
);

it('the start page restores typed input, but not its secret, when the user signs in again', async () => {
  await open();
  act(() => input.setSource('json'));
  act(() => input.json.setInputText('{ "pages": 3 }'));
  act(() => input.secret.setSecretText('"hunter2"'));
  await act(async () => fireEvent.click(screen.getByLabelText('Start even if the same run is in progress')));
  await act(async () => endSession());
  expect(JSON.stringify(sessionStorage)).not.toContain('hunter2');
  cleanup();
  await open();
  expect(input.source).toBe('json');
  expect(input.json.inputText).toBe('{ "pages": 3 }');
  expect(screen.getByLabelText('Start even if the same run is in progress')).toHaveProperty('checked', true);
  expect(screen.getByText(/Your entries in this form from before you signed in are back/)).toBeTruthy();
});

it('the start page shows that a run has ended even if that update arrived before the answer to the start', async () => {
  await open({ ...EXECUTION, action: 'end', updated_at: '2026-01-01T00:00:01.000Z' });
  await press('Run');
  expect(await screen.findByText('completed')).toBeTruthy();
});

it('the start page draws the first echo of a run at once, and later ones together after that is drawn', async () => {
  const frames: FrameRequestCallback[] = [];
  const requested = jest.spyOn(globalThis, 'requestAnimationFrame').mockImplementation(frame => frames.push(frame));
  await open();
  await press('Run');
  await screen.findByRole('log', { name: 'Echoes' });
  const send = (seq: number) =>
    sendEchoes('r1', [{ seq, msg: 'no price', type: 'error', time: '2026-01-01T00:00:00.000Z' }]);
  const drawn = () => screen.queryAllByRole('button', { name: /^Go to the error/ }).length;
  act(() => send(1));
  expect(drawn()).toBe(1);
  act(() => {
    send(2);
    send(3);
  });
  expect(drawn()).toBe(1);
  act(() => {
    for (const frame of frames.splice(0)) frame(performance.now());
  });
  await waitFor(() => expect(drawn()).toBe(3));
  requested.mockRestore();
});

it('the start page records the run if its box is checked', async () => {
  await open();
  await act(async () => fireEvent.click(screen.getByLabelText('Record its HTTP exchanges, for a replay')));
  await press('Run');
  await screen.findByRole('log', { name: 'Echoes' });
  expect(changes()[0]?.call).toContain('record=true');
});
