import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import type { LocatedProblem } from '@trawl/type-check';
import { useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import type { Skript } from '../../../api/entities.js';
import { fill, press, showScreen } from '../../../test-screen.js';
import { NEW_SKRIPT } from '../components/skript-fields.js';
import type { Question } from '../files/types/protocol.js';
import { NamedValueModal } from '../inputs/components/named-value-modal.js';
import { INPUT } from '../inputs/named-values.js';
import { homeOf, skriptWith } from './test-home.js';

const SKRIPT = { ...NEW_SKRIPT, id: 's1', title: 'Books', files: [] as Skript['files'], bundle_hash: 'new' } as Skript;

const NO_ACTIONS = { onClose: () => {}, onSave: async () => {} };

const Address = () => <p>{`address ${useLocation().search}`}</p>;

/** The page of a skript whose first run is `r1`. */
function Editor({ more = {} }: { more?: Parameters<typeof homeOf>[1] }) {
  const [runId, setRunId] = useState('');
  return (
    <>
      {homeOf(SKRIPT, { onRun: () => setRunId('r1'), runId, run: runId && <p>The run {runId}</p>, ...more })}
      <p>{`address ${useLocation().search}`}</p>
    </>
  );
}

const isSelected = (name: string) => screen.getByRole('tab', { name }).getAttribute('aria-selected') === 'true';
const openTab = (name: string) => act(async () => fireEvent.click(screen.getByRole('tab', { name })));

it('a skript keeps the open tab in the address, with the run and the file, and without filters of other tabs', async () => {
  const panels = { runs: <p>All runs</p>, data: null, schedules: null, alerts: null };
  showScreen(<Editor more={{ panels }} />, {}, '/developer/here?tab=settings&execution_id=r9&file=a.js&page=3');
  expect(isSelected('Settings')).toBe(true);
  expect(screen.queryByText('All runs')).toBeNull();
  await openTab('Runs');
  expect(screen.getByText('All runs')).toBeTruthy();
  expect(screen.getByText('address ?tab=runs&file=a.js&execution_id=r9')).toBeTruthy();
});

it.each([
  ['inputs', 'Settings', 'Inputs'],
  ['input-secrets', 'Settings', 'Input secrets'],
  ['howto', 'Code', 'Howto'],
  ['versions', 'Code', 'Versions'],
  ['files', 'Code', 'Files'],
])('a link to the former tab %s opens the tab %s at %s', async (name, tab, view) => {
  showScreen(<Editor />, {}, `/developer/here?tab=${name}`);
  expect(isSelected(tab)).toBe(true);
  expect(screen.getByRole('link', { name: view }).getAttribute('aria-current')).toBe('page');
});

it('a run that is started in another tab is shown below the code', async () => {
  showScreen(<Editor />, {}, '/developer/here?tab=runs');
  await press('Run');
  expect(isSelected('Code')).toBe(true);
  expect(await screen.findByText('The run r1')).toBeTruthy();
});

it('Ctrl Enter in a form above a tab starts no run, so that the form stays open', async () => {
  const panels = { runs: null, data: null, schedules: null, alerts: null };
  const form = (
    <NamedValueModal kind={INPUT} {...{ id: null, initialName: 'a.json', initialText: '' }} {...NO_ACTIONS} />
  );
  showScreen(<Editor more={{ panels: { ...panels, schedules: form } }} />, {}, '/developer/here?tab=schedules');
  await fill('Value (JSON)', '{}');
  const pressCtrlEnter = (at: Element) => act(async () => void fireEvent.keyDown(at, { key: 'Enter', ctrlKey: true }));
  await pressCtrlEnter(screen.getByLabelText('Value (JSON)'));
  await pressCtrlEnter(document.body);
  expect(screen.getByText('address ?tab=schedules')).toBeTruthy();
  expect(screen.getByLabelText('Value (JSON)').textContent).toBe('{}');
  await openTab('Runs');
  await pressCtrlEnter(document.body);
  expect(await screen.findByText('The run r1')).toBeTruthy();
});

it('the line between code and run moves by keyboard, and stays there', async () => {
  showScreen(<Editor more={{ runId: 'r1', run: <p>The run</p> }} />, {});
  const line = await screen.findByRole('separator', { name: 'Height of the code' });
  const height = () => Number(screen.getByRole('separator').getAttribute('aria-valuenow'));
  const before = height();
  await act(async () => fireEvent.keyDown(line, { key: 'ArrowUp' }));
  expect(height()).toBeLessThan(before);
  const moved = height();
  cleanup();
  showScreen(<Editor more={{ runId: 'r1', run: <p>The run</p> }} />, {});
  await waitFor(() => expect(height()).toBe(moved));
  localStorage.clear();
});

it('the line at which the last run failed is marked with its message', async () => {
  const file = { id: 'f1', name: 'main.js', size: 9 } as Skript['files'][number];
  const runProblem = { file: 'main.js', line: 2, column: 1, message: 'Error: no price', line_text: null };
  showScreen(homeOf(skriptWith(file), { runProblem }), {
    'GET /joint-api/skript-files/f1': { body: { ...file, content: 'one\ntwo\nthree', hash: 'h' } },
  });
  const message = await screen.findByText('Error: no price', { selector: '.line-message' });
  expect(message.previousElementSibling?.className).toContain('line-failed');
  expect(message.previousElementSibling?.textContent).toBe('two');
});

it('the page of a skript scrolls to a new run on a phone, and says if main.js could not be created', async () => {
  const scroll = jest.spyOn(Element.prototype, 'scrollIntoView');
  const screenSize = window.matchMedia('(max-width: 48em)');
  const phone = jest.spyOn(window, 'matchMedia').mockReturnValue({ ...screenSize, matches: true });
  showScreen(<Editor />, {});
  await press('Run');
  const docked = (await screen.findByText('The run r1')).parentElement;
  expect(scroll.mock.contexts).toContain(docked);
  expect(scroll).toHaveBeenLastCalledWith({ block: 'start' });
  scroll.mockRestore();
  phone.mockRestore();
  await press('Create main.js');
  expect(await screen.findByText('main.js was not created')).toBeTruthy();
});

describe('the open file of the skript editor', () => {
  const FILES = [
    { id: 'f1', name: 'main.js', size: 4 },
    { id: 'f2', name: 'lib/prices.js', size: 4 },
  ];
  const fileOf = (id: string) => ({ body: { ...FILES.find(file => file.id === id), content: id, hash: 'h' } });
  function Files() {
    const navigate = useNavigate();
    const [files, setFiles] = useState(FILES);
    return (
      <>
        {homeOf(skriptWith(...(files as Skript['files'])))}
        <button
          type="button"
          onClick={() => setFiles(files.map(file => (file.id === 'f2' ? { ...file, name: 'lib/costs.js' } : file)))}
        >
          Rename elsewhere
        </button>
        <p>{`address ${useLocation().search}`}</p>
        <button type="button" onClick={() => navigate(-1)}>
          Back
        </button>
      </>
    );
  }
  const show = (address: string) =>
    showScreen(
      <Files />,
      { 'GET /joint-api/skript-files/f1': fileOf('f1'), 'GET /joint-api/skript-files/f2': fileOf('f2') },
      address,
    );

  it('is the one named in the address, so that links to it work', async () => {
    show('/developer/here?file=lib/prices.js');
    expect(await screen.findByLabelText('Content of lib/prices.js')).toBeTruthy();
  });

  it('stays open under its new name if another tab renames it', async () => {
    show('/developer/here?file=lib/prices.js');
    await screen.findByLabelText('Content of lib/prices.js');
    await press('Rename elsewhere');
    expect(await screen.findByLabelText('Content of lib/costs.js')).toBeTruthy();
    expect(screen.getByText('address ?file=lib%2Fcosts.js')).toBeTruthy();
  });

  it('is main.js, with a notice, if the file in the address does not exist', async () => {
    show('/developer/here?file=gone.js&line=3');
    expect(await screen.findByText('This skript has no file gone.js')).toBeTruthy();
    expect(await screen.findByLabelText('Content of main.js')).toBeTruthy();
    expect(screen.getByText('address ?file=main.js')).toBeTruthy();
    await press(/^prices.js/);
    expect(screen.queryByText(/This skript has no file/)).toBeNull();
  });

  it('changes with the Back button of the browser, and keeps typed text', async () => {
    show('/developer/here');
    await fill('Content of main.js', 'typed');
    expect(screen.queryByText(/This skript has no file/)).toBeNull();
    await press(/^prices.js/);
    await screen.findByLabelText('Content of lib/prices.js');
    expect(screen.getByText('address ?file=lib%2Fprices.js')).toBeTruthy();
    await press('Back');
    expect((await screen.findByLabelText('Content of main.js')).textContent).toBe('typed');
    expect(screen.getByText('address')).toBeTruthy();
  });
});

const OLD = 'a'.repeat(64);
const VERSION = {
  hash: OLD,
  number: 3,
  built_at: '2026-02-15T09:30:00.000Z',
  files: [
    { name: 'lib/prices.js', content: 'of the version' },
    { name: 'main.js', content: 'other' },
  ],
};

it.each([
  [OLD, true],
  ['new', false],
])(
  'the skript editor, opened from an error of version %s, shows the files of an older version read-only: %s',
  async (version, isOld) => {
    showScreen(
      <Editor />,
      { [`GET /joint-api/skripts/s1/versions/${OLD}`]: { body: VERSION } },
      `/developer/here?file=lib/prices.js&line=1&column=1&version=${version}`,
    );
    if (isOld) {
      const code = await screen.findByLabelText('Content of lib/prices.js, read only');
      expect(code.textContent).toBe('of the version');
      // A file cannot be renamed or deleted in a version.
      expect(screen.queryByRole('button', { name: 'More for main.js' })).toBeNull();
      await press('Show the current files');
    }
    await screen.findByText('This skript has no files');
    expect(screen.getByText(isOld ? 'address' : 'address ?file=lib%2Fprices.js&line=1&column=1')).toBeTruthy();
    expect(screen.queryByText(/You see version/)).toBeNull();
  },
);

it('the skript editor restores the older version that it shows, then shows the current files', async () => {
  showScreen(
    <Editor />,
    {
      [`GET /joint-api/skripts/s1/versions/${OLD}`]: { body: VERSION },
      [`POST /joint-api/skripts/s1/versions/${OLD}/restore`]: { body: { files: { added: 0, changed: 1, removed: 2 } } },
    },
    `/developer/here?version=${OLD}`,
  );
  await screen.findByText(/You see version 3 of 15 Feb/);
  await press('Restore this version');
  await press('Restore version');
  await screen.findByText('This skript has no files');
  expect(screen.getByText('address')).toBeTruthy();
});

describe('the type errors of a bundle', () => {
  const MAIN = { name: 'main.ts', content: 'let n: number = "";' };
  const FILES = [{ id: 'f1', name: 'main.ts', size: 4 }] as Skript['files'];
  const PROBLEM = { file: 'main.ts', line: 1, column: 5, message: "Type 'string' is not assignable to type 'number'." };
  const served = (files = [MAIN]) => ({
    'GET /joint-api/skript-files/f1': { body: { ...FILES[0], content: MAIN.content, hash: 'h' } },
    'POST /joint-api/skripts/s1/bundle': { body: { size: 100, hash: 'b1' } },
    'GET /joint-api/skripts/s1/versions/b1': { body: { files } },
    'GET /joint-api/inputs/list': { body: { items: [{ name: 'input.json' }] } },
  });
  /** Arguments of the checks that the worker of the code editor was asked for. */
  let asked: unknown[][];
  /** The types of npm libraries that it got. */
  let libraries: unknown[];
  /** Let the worker answer a check with these problems, the oldest first. */
  let answers: ((problems: LocatedProblem[]) => void)[];

  beforeEach(() => {
    [asked, libraries, answers] = [[], [], []];
    class TypesWorker extends EventTarget {
      postMessage({ id, method, args }: Question): void {
        const answer = (value: unknown) => this.dispatchEvent(new MessageEvent('message', { data: { id, value } }));
        if (method === 'allProblems') {
          asked.push(args);
          answers.push(answer);
        } else if (method === 'setLibraries') libraries.push(...args);
        else setTimeout(() => answer([]));
      }
    }
    Object.assign(globalThis, { Worker: TypesWorker });
  });

  afterEach(() => Reflect.deleteProperty(globalThis, 'Worker'));

  const checks = (count: number) => waitFor(() => expect(answers).toHaveLength(count));
  const answer = (check: number, problems: LocatedProblem[]) => act(async () => answers[check]?.(problems));

  it('are listed with their places, and a click opens the line', async () => {
    showScreen(
      <>
        {homeOf(skriptWith(...FILES))}
        <Address />
      </>,
      served(),
    );
    await press('Bundle');
    await checks(1);
    await answer(0, [PROBLEM]);
    expect(await screen.findByText('Bundled, with a type error')).toBeTruthy();
    expect(screen.getByText(PROBLEM.message)).toBeTruthy();
    await press('main.ts:1:5');
    expect(screen.getByText(/^address .*file=main.ts&line=1&column=5/)).toBeTruthy();
  });

  it('are those of all files of the bundle, except of large ones, which code may import like manifest and inputs', async () => {
    const code = Array.from({ length: 60 }, (_, n) => ({ name: `lib/${n}.ts`, content: '' }));
    const large = { name: 'vendor.js', content: ' '.repeat(300_001) };
    showScreen(homeOf(skriptWith(...FILES)), served([MAIN, ...code, large, { name: 'a.csv', content: '' }]));
    await press('Bundle');
    await checks(1);
    expect(asked).toEqual([
      [
        [MAIN, ...code],
        ['vendor.js', 'a.csv', 'manifest.json', 'input.json'],
      ],
    ]);
  });

  it.each([
    ['arrived', { body: { files: [], left_out: [] } }, []],
    ['failed', { status: 503, body: { message: 'The registry is down.' } }, [/does not know the types/]],
  ])('are found with the types of npm libraries; the answer %s', async (_, types, reasons) => {
    const packageFile = { name: 'package.json', content: '{ "dependencies": { "ms": "^2.0.0" } }' };
    showScreen(homeOf(skriptWith(...FILES)), {
      ...served([MAIN, packageFile]),
      'GET /joint-api/skripts/s1/library-types': types,
    });
    await press('Bundle');
    await checks(1);
    expect(libraries).toEqual([
      {
        key: expect.stringContaining('"ms"'),
        files: [],
        left_out: reasons.map(reason => ({ library: 'ms', reason: expect.stringMatching(reason) })),
      },
    ]);
  });

  it.each(['Bundle', 'Run'])('are not shown if the check ends after a click on %s', async button => {
    showScreen(homeOf(skriptWith(...FILES)), served());
    await press('Bundle');
    await checks(1);
    await press(button);
    if (button === 'Bundle') await checks(2);
    await answer(0, [PROBLEM]);
    expect(screen.queryByText('Bundled, with a type error')).toBeNull();
  });
});
