import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import type { Action, LiveEchoes } from '@trawl/contracts';
import { useState } from 'react';
import { sendEchoes, testSocket } from '../../../test-live.js';
import { fill, press, sent, showScreen } from '../../../test-screen.js';
import { RunEchoes } from './run-echoes.js';

jest.mock('../../../live/live-socket.js', () => ({ liveSocket: () => testSocket }));

const LIST = 'GET /joint-api/echoes/r1/list';
const echoes = (from: number, to: number): LiveEchoes['items'] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    type: 'log',
    msg: `line ${from + index}`,
    time: '2026-01-01T00:00:00.000Z',
    seq: from + index,
  }));

let saved: LiveEchoes['items'];
let setAction: (action: Action) => void;

function Run() {
  const [action, set] = useState<Action>('start');
  setAction = set;
  return <RunEchoes executionId="r1" action={action} />;
}

const log = () => screen.getByRole('log');
const rows = () => [...log().querySelectorAll('.console-row')].map(row => row.textContent);
/** The saved echoes and the live ones arrive, and are drawn. */
const arrive = async (to: number) => {
  saved = echoes(1, to);
  await act(async () => sendEchoes('r1', saved));
  await waitFor(() => expect(rows().join()).toContain(`line ${to}`));
};

const end = () => act(async () => setAction('end'));

const list = () => ({ body: { total: saved.length, items: saved, next_after_seq: null, next_before_seq: null } });
const show = () => act(async () => showScreen(<Run />, { [LIST]: list }));

beforeEach(async () => {
  // The virtualizer renders visible lines only, and jsdom has no layout.
  jest.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(400);
  jest.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(25);
  saved = echoes(1, 3);
  await show();
});
afterEach(() => jest.restoreAllMocks());

describe('the view of echoes when a live run ends', () => {
  it('keeps its lines if the user has scrolled up, and shows the newer ones on a click', async () => {
    await arrive(5);
    const console = log();
    jest.spyOn(console, 'scrollHeight', 'get').mockReturnValue(5_000);
    await act(async () => fireEvent.scroll(console));
    const read = rows();
    expect(read).toHaveLength(5);
    saved = echoes(1, 8);
    // The result of the run takes 240 px above the console.
    jest.spyOn(console, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 240, 800, 400));
    const scroll = jest.spyOn(window, 'scrollBy').mockImplementation(() => {});
    await end();
    expect(scroll.mock.calls).toEqual([[{ top: 240, behavior: 'instant' }]]);
    expect(log()).toBe(console);
    expect(rows()).toEqual(read);
    expect(screen.getByText('The run has ended: completed.')).toBeTruthy();
    await press('3 newer');
    expect(screen.getByText('line 8')).toBeTruthy();
  });

  it('adds the last lines if the user is at the end', async () => {
    await arrive(5);
    saved = echoes(1, 8);
    await end();
    expect(await screen.findByText('line 8')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Pause the view' })).toBeNull();
  });

  it('says that the run sent no echoes, and has no link to saved ones', async () => {
    cleanup();
    saved = [];
    await show();
    await end();
    expect(await screen.findByText('This run sent no echoes.')).toBeTruthy();
    expect(screen.getByText('The run has ended: completed.')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Show saved echoes' })).toBeNull();
  });

  it('keeps the search, and searches the saved echoes on request', async () => {
    await arrive(25);
    await fill('Search the live echoes', 'line 2');
    await waitFor(() => expect(rows()).toHaveLength(7));
    const found = rows();
    await end();
    expect(rows()).toEqual(found);
    await press('Show saved echoes');
    expect((await screen.findByLabelText<HTMLInputElement>('Search the text')).value).toBe('line 2');
    const query = new URLSearchParams(sent.find(({ call }) => call.includes('contains'))?.call.split('?')[1]);
    expect(query.get('contains')).toBe('line 2');
  });
});

describe('a search in the live echoes of a run', () => {
  it('says if only loaded lines were searched, and can continue in the saved echoes', async () => {
    cleanup();
    saved = echoes(8, 9);
    await show();
    expect(screen.queryByText(/loaded lines were searched/)).toBeNull();
    await fill('Search the live echoes', 'line 3');
    expect(await screen.findByText(/Only the 2 loaded lines were searched\./)).toBeTruthy();
    expect(screen.getByText('No loaded line matches.')).toBeTruthy();
    saved = echoes(1, 9);
    await press('Search the saved echoes');
    expect((await screen.findByLabelText<HTMLInputElement>('Search the text')).value).toBe('line 3');
    await press('Back to the live echoes');
    expect(await screen.findByRole('log')).toBeTruthy();
  });

  it('says only that nothing matches if all lines are loaded', async () => {
    await fill('Search the live echoes', 'line 9');
    expect(await screen.findByText('No live echo matches. Clear the search or the type filter.')).toBeTruthy();
    expect(screen.queryByText(/loaded lines were searched/)).toBeNull();
  });
});
