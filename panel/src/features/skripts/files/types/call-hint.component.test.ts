import { autocompletion, completionStatus, startCompletion } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { EditorView, runScopeHandlers } from '@codemirror/view';
import { waitFor } from '@testing-library/react';
import type { CallHint } from '@trawl/type-check';
import { callHint } from './call-hint.js';
import { hoverDocs } from './hover-docs.js';

const HINT: CallHint = {
  from: 4,
  before: 'log(',
  parameter: 'a: string',
  after: '): void',
  documentation: 'The text.',
};

/** Answers that the test gives, in the order of the questions. */
let answers: ((hint: CallHint | null) => void)[] = [];
let view: EditorView;

beforeEach(() => {
  answers = [];
  view = new EditorView({
    parent: document.body,
    state: EditorState.create({
      doc: 'log',
      selection: { anchor: 3 },
      extensions: [
        callHint(() => new Promise(resolve => answers.push(resolve))),
        hoverDocs(async (_state, position) =>
          position === 2 ? { from: 0, to: 3, signature: 'log(): void', documentation: 'Sends.' } : null,
        ),
        // Suggestions that stay on their way.
        autocompletion({ override: [() => new Promise(() => undefined)] }),
      ],
    }),
  });
});
afterEach(() => view.destroy());

const type = (insert: string) => {
  const { head } = view.state.selection.main;
  view.dispatch({
    changes: { from: head, insert },
    selection: { anchor: head + insert.length },
    userEvent: 'input.type',
  });
};
const shown = () => view.dom.querySelector('.cm-code-text')?.textContent ?? null;
const press = (key: string, init: KeyboardEventInit = {}) =>
  runScopeHandlers(view, new KeyboardEvent('keydown', { key, ...init }), 'editor');

it('the code editor shows a function’s parameters, the current one in bold, until the call ends', async () => {
  type('x');
  expect(answers).toHaveLength(0);
  type('(');
  answers[0]?.(HINT);
  await waitFor(() => expect(shown()).toBe('log(a: string): voidThe text.'));
  expect(view.dom.querySelector('.cm-code-text strong')?.textContent).toBe('a: string');
  type(')');
  answers[1]?.(null);
  await waitFor(() => expect(shown()).toBeNull());
});

it('the code editor ignores a parameter hint that arrives after the call has ended', async () => {
  type('(');
  type(')');
  expect(answers).toHaveLength(2);
  answers[1]?.(null);
  answers[0]?.(HINT);
  await Promise.resolve();
  expect(shown()).toBeNull();
});

it('the parameter hint opens by keyboard, is announced to screen readers, and closes with Escape', async () => {
  expect(press(' ', { ctrlKey: true, shiftKey: true, keyCode: 32 })).toBe(true);
  answers[0]?.({ ...HINT, from: 0 });
  await waitFor(() => expect(shown()).toContain('log('));
  expect(view.dom.querySelector('[aria-live]')?.textContent).toContain('a: string. The text.');
  expect(press('Escape')).toBe(true);
  expect(shown()).toBeNull();
  // A second Escape belongs to the editor, which the user then leaves with Tab.
  expect(press('Escape')).toBe(false);
});

it('a keyboard shortcut shows and announces the documentation of the name at the cursor', async () => {
  expect(press('H', { shiftKey: true, altKey: true, keyCode: 72 })).toBe(true);
  await waitFor(() => expect(shown()).toBe('log(): voidSends.'));
  await waitFor(() => expect(view.dom.querySelector('[aria-live]')?.textContent).toBe('log(): void Sends.'));
  expect(press('Escape')).toBe(true);
  expect(shown()).toBeNull();
});

it('one Escape closes the documentation or parameter hint and the loading suggestions', async () => {
  startCompletion(view);
  press('H', { shiftKey: true, altKey: true, keyCode: 72 });
  await waitFor(() => expect(shown()).toBe('log(): voidSends.'));
  expect(completionStatus(view.state)).toBeNull();
  startCompletion(view);
  expect(completionStatus(view.state)).toBe('pending');
  press('Escape');
  expect([shown(), completionStatus(view.state)]).toEqual([null, null]);

  type('(');
  answers[0]?.(HINT);
  await waitFor(() => expect(shown()).toContain('a: string'));
  startCompletion(view);
  press('Escape');
  expect([shown(), completionStatus(view.state)]).toEqual([null, null]);
});
