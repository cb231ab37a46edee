import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import { EditorView, keymap, showTooltip, type Tooltip } from '@codemirror/view';
import type { CallHint } from '@trawl/type-check';
import { textCard } from './code-text.js';
import { closesWithEscape } from './escape-key.js';

const setHint = StateEffect.define<CallHint | null>();

const tooltipOf = ({ from, before, parameter, after, documentation }: CallHint): Tooltip => ({
  pos: from,
  above: true,
  create: () => {
    const current = Object.assign(document.createElement('strong'), { textContent: parameter });
    return { dom: textCard([before, current, after], documentation) };
  },
});

const shownHint = StateField.define<Tooltip | null>({
  create: () => null,
  update: (shown, { effects, changes }) => {
    const effect = effects.find(one => one.is(setHint));
    if (effect) return effect.value && tooltipOf(effect.value);
    return shown && { ...shown, pos: changes.mapPos(shown.pos) };
  },
  provide: field => showTooltip.from(field),
});

/**
 * Parameters of the function whose arguments the user types, with the current one in bold. It opens with a parenthesis or
 * a comma, and with Ctrl Shift Space. Escape closes it.
 *
 * @param ask returns the call around the cursor, also around a function in its arguments if `isAsked`; null if there is none
 */
export function callHint(ask: (state: EditorState, isAsked: boolean) => Promise<CallHint | null>): Extension {
  /** Number of the last question. Answers to earlier ones are out of date. */
  let last = 0;
  let isWaiting = false;

  const update = async (view: EditorView, isAsked: boolean): Promise<void> => {
    last += 1;
    const own = last;
    isWaiting = true;
    const hint = await ask(view.state, isAsked);
    if (own !== last) return;
    isWaiting = false;
    view.dispatch({ effects: setHint.of(hint) });
    // A screen reader does not notice the tooltip.
    if (hint && isAsked) {
      const { before, parameter, after, documentation } = hint;
      view.dispatch({
        effects: EditorView.announce.of(`${parameter}. ${documentation} ${before}${parameter}${after}`),
      });
    }
  };
  const close = (view: EditorView): boolean => {
    last += 1;
    isWaiting = false;
    if (view.state.field(shownHint) === null) return false;
    view.dispatch({ effects: setHint.of(null) });
    return true;
  };

  return [
    shownHint,
    EditorView.updateListener.of(({ view, state, docChanged, selectionSet, transactions }) => {
      if (!docChanged && !selectionSet) return;
      const { head } = state.selection.main;
      const opens =
        transactions.some(transaction => transaction.isUserEvent('input.type')) &&
        /[(,]/.test(state.sliceDoc(head - 1, head));
      if (opens || isWaiting || state.field(shownHint)) void update(view, false);
    }),
    EditorView.domEventHandlers({ blur: (_event, view) => void close(view) }),
    keymap.of([
      {
        key: 'Ctrl-Shift-Space',
        run: view => {
          void update(view, true);
          return true;
        },
      },
    ]),
    closesWithEscape(close),
  ];
}
