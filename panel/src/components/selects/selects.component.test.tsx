import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { run } from '../../test-run.js';
import { listOf, type Sent, sent, showScreen } from '../../test-screen.js';
import { CollectionSelect } from './collection-select.js';
import { RunSelect, type RunSelectProps } from './run-select.js';
import { SavedValueSelect } from './saved-value-select.js';
import { SkriptSelect } from './skript-select.js';
import { TimeZoneSelect } from './time-zone-select.js';
import { WorkerFilter } from './worker-filter.js';
import { WorkerSelect } from './worker-select.js';
import { WorkersSelect } from './workers-select.js';

const UPLOAD = { id: 's1', title: 'Panel try upload' };
const HELLO = { id: 's2', title: 'Hello' };

function Example() {
  const [value, setValue] = useState<string | null>('s1');
  return <SkriptSelect label="Skript" placeholder="Choose a skript" value={value} onChange={setValue} />;
}

const field = () => document.querySelector('input:not([type="hidden"])') as HTMLInputElement;
const selected = () => field().value.slice(field().selectionStart ?? 0, field().selectionEnd ?? 0);

const type = async (text: string) => act(async () => void fireEvent.change(field(), { target: { value: text } }));
const pressEnter = async () => act(async () => void fireEvent.keyDown(field(), { key: 'Enter', code: 'Enter' }));
const optionTexts = () => screen.queryAllByRole('option').map(option => option.textContent);

describe('a select that searches its choices on the server', () => {
  const open = async (...first: unknown[]) => {
    showScreen(<Example />, {
      'GET /joint-api/skripts/list': ({ call }) =>
        call.includes('title_contains=hel')
          ? listOf(HELLO)
          : call.includes('title_contains')
            ? listOf()
            : listOf(...first),
      'GET /joint-api/skripts/s1': { body: UPLOAD },
      'GET /joint-api/skripts/s2': { body: HELLO },
    });
    await waitFor(() => expect(field().value).toBe('Panel try upload'));
    await act(async () => field().focus());
    expect(selected()).toBe('Panel try upload');
  };

  it('replaces the chosen text when the user types, lists only matches, and Enter chooses the first', async () => {
    await open(UPLOAD);
    await type('hel');
    expect(screen.getByText('Searching…')).toBeTruthy();
    // Enter has nothing to choose until the server has answered.
    await pressEnter();
    expect(field().value).toBe('hel');
    await screen.findByRole('option', { name: 'Hello' });
    expect(sent.map(({ call }) => call).join()).toContain('title_contains=hel');
    expect(optionTexts()).toEqual(['Hello']);
    await pressEnter();
    await waitFor(() => expect(selected()).toBe('Hello'));
    // The list is closed now. Typing opens it.
    await type('pan');
    await screen.findByText('No skript has this in its title');
    await type('hel');
    await screen.findByRole('option', { name: 'Hello' });
    await pressEnter();
    await waitFor(() => expect(selected()).toBe('Hello'));
  });

  it('chooses a match that is already listed without waiting for the server', async () => {
    await open(HELLO, UPLOAD);
    await type('HEL');
    await pressEnter();
    await waitFor(() => expect(selected()).toBe('Hello'));
  });

  it('keeps its choice when the user searches for the chosen item or empties the field', async () => {
    await open(HELLO, UPLOAD);
    await type('panel');
    await pressEnter();
    await waitFor(() => expect(selected()).toBe('Panel try upload'));
    await type('h');
    await type('');
    await pressEnter();
    await act(async () => field().blur());
    expect(field().value).toBe('Panel try upload');
  });
});

it('the time zone select finds a zone by part of its name, and Enter chooses it without submitting the form', async () => {
  const onChange = jest.fn();
  const onSubmit = jest.fn();
  showScreen(
    <form onSubmit={onSubmit}>
      <TimeZoneSelect value="UTC" onChange={zone => onChange(zone)} />
    </form>,
    {},
  );
  await act(async () => field().focus());
  expect(selected()).toBe('UTC');
  await act(async () => void fireEvent.change(field(), { target: { value: 'zagr' } }));
  const isUsual = fireEvent.keyDown(field(), { key: 'Enter', code: 'Enter' });
  expect([isUsual, onChange.mock.calls]).toEqual([false, [['Europe/Zagreb']]]);
});

it('the run select chooses a run by its pasted id when the user presses Enter', async () => {
  const id = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071';
  const onChange = jest.fn();
  showScreen(<RunSelect label="Run" runs={[]} of="all" value="" onChange={onChange} />, {});
  await act(async () => field().focus());
  await act(async () => void fireEvent.change(field(), { target: { value: ` ${id}` } }));
  await act(async () => void fireEvent.keyDown(field(), { key: 'Enter', code: 'Enter' }));
  expect(onChange).toHaveBeenCalledWith(id);
});

describe('the run select', () => {
  const books = run({ id: 'r1', action: 'end' });
  const found = { ...books, id: 'r2', skript_id: 's2', created_at: '2026-01-02T00:00:00.000Z' };
  const onChange = jest.fn();
  const open = async (props: Pick<RunSelectProps, 'of' | 'isLiveOnly'>) => {
    onChange.mockClear();
    showScreen(<RunSelect label="Run" runs={[books]} value="" onChange={onChange} {...props} />, {
      'GET /joint-api/skripts/list': listOf(HELLO),
      'GET /joint-api/skript-execution/latest-by-skript': {
        body: { items: [found, { ...found, id: 'r3', created_at: '2026-01-03T00:00:00.000Z', action: 'start' }] },
      },
    });
    await act(async () => field().focus());
    expect([optionTexts(), sent]).toMatchObject([[expect.stringMatching(/^Books, .* \(completed\)$/)], []]);
  };

  it('searches runs by the skript’s title on the server, and Enter chooses the newest one', async () => {
    await open({ of: 'first' });
    await type('hello, ');
    await waitFor(() => expect(optionTexts()).toHaveLength(2));
    expect(sent.map(({ call }) => call)).toEqual([
      'GET /joint-api/skripts/list?limit=50&sort=title&title_contains=hello&select=-howto%2C-input_schema',
      'GET /joint-api/skript-execution/latest-by-skript?skript_ids=s2',
    ]);
    await pressEnter();
    expect(onChange.mock.calls).toEqual([['r3']]);
  });

  it('finds no ended runs if it offers only live runs', async () => {
    await open({ of: 'all', isLiveOnly: true });
    await type('hello');
    await screen.findByRole('option', { name: /Hello/ });
    expect(optionTexts()).toEqual([expect.stringMatching(/running/)]);
  });

  it('says that no listed run matches if it offers the runs of one skript only', async () => {
    await open({ of: 'only' });
    await type('hello');
    await screen.findByText('No such run among the latest of each skript');
    expect(sent).toEqual([]);
  });
});

it.each([
  ['an export', false, ['main', 'prices (shared)']],
  ['an import, which writes', true, ['main']],
])('the database select offers the databases for %s', async (_, canBeNew, names) => {
  showScreen(
    <CollectionSelect databaseId="" onDatabase={() => {}} collection="" onCollection={() => {}} canBeNew={canBeNew} />,
    {
      'GET /joint-api/mongo-databases/list': ({ call }) =>
        call.includes('shared=true')
          ? listOf({ id: 'd1', name: 'main', read_only: false }, { id: 'd2', name: 'prices', read_only: true })
          : listOf({ id: 'd1', name: 'main', read_only: false }),
    },
  );
  const combobox = await screen.findByRole('combobox', { name: 'Database' });
  await act(async () => fireEvent.click(combobox));
  const last = await screen.findByRole('option', { name: names.at(-1) });
  expect(screen.getAllByRole('option').map(option => option.textContent)).toEqual(names);
  // An open list would still move after the test.
  await act(async () => fireEvent.click(last));
});

function Collections({ canBeNew }: { canBeNew?: boolean }) {
  const [collection, setCollection] = useState('products');
  return (
    <form onSubmit={submitted}>
      <CollectionSelect
        databaseId="d1"
        onDatabase={() => {}}
        collection={collection}
        onCollection={setCollection}
        canBeNew={canBeNew}
      />
    </form>
  );
}

const SKRIPT_ID = '01a218d7-0c07-7691-bf34-ea75894f1933';
const submitted = jest.fn(event => event.preventDefault());

it.each([
  ['an existing collection', false],
  ['a collection that may be new', true],
])('the collection select replaces the chosen text of %s, and Enter does not submit the form', async (_, canBeNew) => {
  showScreen(<Collections canBeNew={canBeNew} />, {
    'GET /joint-api/mongo-databases/list': listOf({ id: 'd1', name: 'main' }),
    'GET /joint-api/mongo-collections/d1/list': listOf(
      { name: 'products' },
      { name: 'evil\u202egpj' },
      { name: `dataset_${SKRIPT_ID}` },
    ),
    'GET /joint-api/skripts/list': listOf({ id: SKRIPT_ID, title: 'Books' }),
  });
  const input = (await screen.findByRole('combobox', { name: 'Collection' })) as HTMLInputElement;
  await waitFor(() => expect(input.value).toBe('products'));
  await act(async () => input.focus());
  const marked = () => input.value.slice(input.selectionStart ?? 0, input.selectionEnd ?? 0);
  await waitFor(() => expect(marked()).toBe('products'));

  await act(async () => void fireEvent.click(input));
  if (!canBeNew) await screen.findByRole('option', { name: 'Dataset of Books' });
  const other = await screen.findByRole('option', { name: 'evilgpj' });
  await act(async () => fireEvent.click(other));
  await waitFor(() => expect(marked()).toBe(input.value));
  expect(input.value).toMatch(/^evil/);

  expect(fireEvent.keyDown(input, { key: 'Enter', code: 'Enter' })).toBe(false);
});

it('a select says that its choices could not be loaded, without marking the field as invalid', async () => {
  let isBroken = true;
  showScreen(<SkriptSelect placeholder="All skripts" value={null} onChange={() => {}} />, {
    'GET /joint-api/skripts/list': () =>
      isBroken ? { status: 500, body: { error_message: 'Broken.' } } : listOf(UPLOAD),
  });
  await waitFor(() => expect(field().placeholder).toBe('All skripts'));
  expect(field().getAttribute('aria-invalid')).not.toBe('true');
  isBroken = false;
  await act(async () => fireEvent.click(field()));
  // Opening the field asks again.
  expect(await screen.findByRole('option', { name: UPLOAD.title })).toBeTruthy();
});

it('a select says that the chosen worker or saved input no longer exists once its choices are loaded', async () => {
  const none = async () => undefined;
  showScreen(
    <>
      <WorkerSelect value="undefined" onChange={() => {}} />
      <SavedValueSelect
        label="Input"
        saved={{ data: { items: [] }, error: null, refetch: none }}
        value="undefined"
        onChange={() => {}}
      />
      <SavedValueSelect
        label="Input secret"
        saved={{ data: undefined, error: null, refetch: none }}
        value="undefined"
        onChange={() => {}}
      />
    </>,
    {
      'GET /apps/workers/list': listOf(),
      'GET /joint-api/workers/undefined': { status: 400, body: { error_message: 'worker_id must be a UUID' } },
    },
  );
  expect(await screen.findByText('There is no such worker. Choose another.')).toBeTruthy();
  expect(screen.getByText('There is no such input. Choose another.')).toBeTruthy();
  expect(screen.queryByText(/no such input secret/)).toBeNull();
});

const [PARIS, OSLO] = ['paris-1', 'oslo-1001'].map((name, at) => ({
  id: `w${at + 1}`,
  name,
  status: 'online',
  usable: true,
}));
/** Serves a list that has one of two workers, as if there were too many for a page. */
const WORKERS = {
  'GET /apps/workers/list': ({ call }: Sent) =>
    call.includes('name_contains=oslo') ? listOf(OSLO) : call.includes('name_contains') ? listOf() : listOf(PARIS),
  'GET /joint-api/workers/w1': { body: PARIS },
  'GET /joint-api/workers/w2': { body: OSLO },
};

function ExampleOf({ select }: { select: 'worker' | 'workers' | 'filter' }) {
  const [ids, setIds] = useState(['w1']);
  const one = { value: ids[0] ?? '', onChange: (id: string | null) => setIds(id ? [id] : []) };
  if (select === 'workers') return <WorkersSelect value={ids} onChange={setIds} />;
  return select === 'worker' ? <WorkerSelect {...one} /> : <WorkerFilter {...one} width={{ base: '100%', sm: 190 }} />;
}

it.each([
  ['worker', ['oslo-1001 (online)']],
  ['filter', ['oslo-1001']],
  ['workers', ['paris-1 (online)', 'oslo-1001 (online)']],
] as const)(
  'a worker that is not on the first page is found on the server by the select `%s`',
  async (select, chosen) => {
    showScreen(<ExampleOf select={select} />, WORKERS);
    const shown = () =>
      select === 'workers'
        ? [...document.querySelectorAll('.mantine-Pill-label')].map(pill => pill.textContent)
        : [field().value];
    await waitFor(() => expect(shown()[0]).toMatch(/^paris-1/));
    await act(async () => field().focus());
    await type('oslo');
    expect(await screen.findByText('Searching…')).toBeTruthy();
    await screen.findByRole('option', { name: /oslo/ });
    await pressEnter();
    await waitFor(() => expect(shown()).toEqual(chosen));
    await type('none');
    await screen.findByText('No matching worker');
  },
);

it.each(['any', 'w1'])('the worker select accepts the value %s without an error', async value => {
  showScreen(<WorkerSelect value={value} onChange={() => {}} />, WORKERS);
  await screen.findByDisplayValue(value === 'any' ? /the least busy/ : /paris-1/);
  await waitFor(() => expect(sent).toHaveLength(value === 'any' ? 1 : 2));
  expect(screen.queryByText(/no such worker/)).toBeNull();
});

it('the skript select says that the chosen skript does not exist, without technical words', async () => {
  const missing = { status: 400, body: { error_message: 'skript_id must be a UUID' } };
  showScreen(<SkriptSelect label="Skript" placeholder="Choose a skript" value="undefined" onChange={() => {}} />, {
    'GET /joint-api/skripts/list': listOf(UPLOAD),
    'GET /joint-api/skripts/undefined': missing,
  });
  expect(await screen.findByText('There is no such skript. Choose another.')).toBeTruthy();
});
