import {
  closeSearchPanel,
  findNext,
  findPrevious,
  getSearchQuery,
  replaceAll,
  replaceNext,
  SearchQuery,
  search,
  setSearchQuery,
} from '@codemirror/search';
import type { EditorState, Extension } from '@codemirror/state';
import { type Command, EditorView, type Panel, runScopeHandlers, type ViewUpdate } from '@codemirror/view';

const MOST_COUNTED = 1000;

/** Returns the number of matches in words, such as `3 of 12`. */
export function matchWords(state: EditorState): string {
  const query = getSearchQuery(state);
  if (query.search === '') return '';
  if (!query.valid) return 'Not a regular expression';
  const { from, to } = state.selection.main;
  const matches = query.getCursor(state);
  let count = 0;
  let current = 0;
  for (let next = matches.next(); !next.done && count < MOST_COUNTED; next = matches.next()) {
    count += 1;
    if (next.value.from === from && next.value.to === to) current = count;
  }
  if (count === 0) return 'No matches';
  const total = count === MOST_COUNTED ? `${MOST_COUNTED}+` : String(count);
  if (current > 0) return `${current} of ${total}`;
  return count === 1 ? '1 match' : `${total} matches`;
}

function input(label: string, isMain: boolean): HTMLInputElement {
  const field = Object.assign(document.createElement('input'), { type: 'text', placeholder: label, spellcheck: false });
  field.setAttribute('aria-label', label);
  field.setAttribute('autocapitalize', 'off');
  // CodeMirror focuses this field when the user opens the panel again.
  if (isMain) field.setAttribute('main-field', 'true');
  return field;
}

function button(label: string, text: string, act: () => void): HTMLButtonElement {
  const made = Object.assign(document.createElement('button'), { type: 'button', textContent: text, title: label });
  made.setAttribute('aria-label', label);
  made.addEventListener('click', act);
  return made;
}

function searchPanel(view: EditorView): Panel {
  const run = (command: Command) => () => void command(view);
  const find = input('Find', true);
  const replace = input('Replace with', false);
  const count = document.createElement('span');
  count.setAttribute('role', 'status');

  const choices = { caseSensitive: false, wholeWord: false, regexp: false };
  const commit = () => {
    const query = new SearchQuery({ search: find.value, replace: replace.value, literal: !choices.regexp, ...choices });
    if (!query.eq(getSearchQuery(view.state))) view.dispatch({ effects: setSearchQuery.of(query) });
  };
  const toggle = (name: keyof typeof choices, label: string, text: string) => {
    const made = button(label, text, () => {
      choices[name] = !choices[name];
      made.setAttribute('aria-pressed', String(choices[name]));
      commit();
    });
    made.setAttribute('aria-pressed', 'false');
    return { made, name };
  };
  const toggles = [
    toggle('caseSensitive', 'Match case', 'Aa'),
    toggle('wholeWord', 'Whole words', 'W'),
    toggle('regexp', 'Regular expression', '.*'),
  ];

  const show = () => {
    const query = getSearchQuery(view.state);
    if (find.value !== query.search) find.value = query.search;
    if (replace.value !== query.replace) replace.value = query.replace;
    for (const { made, name } of toggles) {
      choices[name] = query[name];
      made.setAttribute('aria-pressed', String(query[name]));
    }
  };
  const countMatches = () => {
    count.textContent = matchWords(view.state);
  };

  const row = (...parts: HTMLElement[]) => {
    const made = document.createElement('div');
    made.append(...parts);
    return made;
  };
  const dom = row(
    row(
      find,
      ...toggles.map(({ made }) => made),
      button('Previous match', '↑', run(findPrevious)),
      button('Next match', '↓', run(findNext)),
      count,
      button('Close the search', '×', run(closeSearchPanel)),
    ),
  );
  if (!view.state.readOnly) {
    dom.append(
      row(
        replace,
        button('Replace this match', 'Replace', run(replaceNext)),
        button('Replace all matches', 'All', run(replaceAll)),
      ),
    );
  }
  dom.className = 'cm-find';
  dom.setAttribute('role', 'search');
  // Escape closes the panel, and not the dialog around the editor.
  for (const part of dom.querySelectorAll('input, button')) part.setAttribute('data-mantine-stop-propagation', 'true');
  dom.addEventListener('input', commit);
  dom.addEventListener('keydown', event => {
    const command = event.target === find ? (event.shiftKey ? findPrevious : findNext) : replaceNext;
    const isEnter = event.key === 'Enter' && (event.target === find || event.target === replace);
    if (isEnter) command(view);
    if (!isEnter && !runScopeHandlers(view, event, 'search-panel')) return;
    // Enter must not send the form around the editor.
    event.preventDefault();
    event.stopPropagation();
  });
  show();
  countMatches();
  return {
    dom,
    top: true,
    mount: () => find.select(),
    update: (update: ViewUpdate) => {
      const isNew = update.transactions.some(({ effects }) => effects.some(effect => effect.is(setSearchQuery)));
      if (isNew) show();
      if (isNew || update.docChanged || update.selectionSet) countMatches();
    },
  };
}

const look = EditorView.theme({
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--trawl-line)' },
  '.cm-find': {
    display: 'grid',
    gap: '6px',
    padding: '8px 10px',
    backgroundColor: 'var(--panel-card)',
    font: '400 13px var(--trawl-font-text)',
  },
  '.cm-find > div': { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '6px' },
  '.cm-find input': {
    flex: '1 1 150px',
    maxWidth: '320px',
    minWidth: '0',
    height: '30px',
    padding: '0 10px',
    border: '1px solid var(--trawl-line)',
    borderRadius: '6px',
    backgroundColor: 'var(--panel-well)',
    color: 'var(--trawl-ink)',
    font: '400 13px var(--trawl-font-code)',
  },
  '.cm-find button': {
    minWidth: '30px',
    height: '30px',
    padding: '0 8px',
    border: '1px solid var(--trawl-line)',
    borderRadius: '6px',
    backgroundColor: 'transparent',
    color: 'var(--trawl-ink)',
    font: '500 12.5px var(--trawl-font-text)',
    cursor: 'pointer',
  },
  '.cm-find button:hover': { backgroundColor: 'color-mix(in srgb, var(--trawl-sea) 10%, transparent)' },
  '.cm-find button[aria-pressed="true"]': {
    borderColor: 'var(--trawl-sea)',
    backgroundColor: 'color-mix(in srgb, var(--trawl-sea) 18%, transparent)',
  },
  '.cm-find :is(input, button):focus-visible': { outline: '2px solid var(--trawl-sea)', outlineOffset: '1px' },
  '.cm-find [role="status"]': { color: 'var(--trawl-muted)', fontSize: '12.5px' },
  '.cm-find > div:first-child > button:last-child': { marginInlineStart: 'auto', fontSize: '16px' },
  '.cm-searchMatch': { backgroundColor: 'color-mix(in srgb, var(--trawl-warn) 26%, transparent)' },
  '.cm-searchMatch-selected': { backgroundColor: 'color-mix(in srgb, var(--trawl-accent) 40%, transparent)' },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--trawl-sea) 12%, transparent)' },
});

/** Search and replace in a code editor. */
export const codeSearch: Extension = [search({ top: true, createPanel: searchPanel }), look];
