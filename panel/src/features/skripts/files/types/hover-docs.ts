import { closeCompletion } from '@codemirror/autocomplete';
import type { EditorState, Extension } from '@codemirror/state';
import { activateHover, closeHoverTooltip, EditorView, hoverTooltip, keymap, type Tooltip } from '@codemirror/view';
import type { LocatedText } from '@trawl/type-check';
import { symbolCard } from './code-text.js';
import { closesWithEscape } from './escape-key.js';

const NAME_LETTER = /[\w$]/;

/**
 * Documentation of the name below the pointer, or with Shift Alt H of the name at the cursor. Escape closes it.
 *
 * @param ask returns the documentation of the name whose letter is at a position; null if there is none
 */
export function hoverDocs(ask: (state: EditorState, position: number) => Promise<LocatedText | null>): Extension {
  const textAt = async (state: EditorState, at: number, side: -1 | 1): Promise<LocatedText | null> => {
    const position = side < 0 ? at - 1 : at;
    return NAME_LETTER.test(state.sliceDoc(position, position + 1)) ? ask(state, position) : null;
  };
  const tooltipOf = (text: LocatedText): Tooltip => ({
    pos: text.from,
    end: text.to,
    above: true,
    create: () => ({ dom: symbolCard(text) }),
  });

  /** The documentation that the keyboard asked for. CodeMirror would drop a promise if the editor changed meanwhile. */
  let asked: LocatedText | null = null;
  const hover = hoverTooltip(({ state }, at, side) =>
    asked ? tooltipOf(asked) : textAt(state, at, side).then(text => text && tooltipOf(text)),
  );

  const show = (view: EditorView): boolean => {
    // A list that opened later would cover the documentation and take the Escape that closes it.
    closeCompletion(view);
    const { state } = view;
    const { head } = state.selection.main;
    const side = NAME_LETTER.test(state.sliceDoc(head, head + 1)) ? 1 : -1;
    void textAt(state, head, side).then(text => {
      if (!text || !view.state.doc.eq(state.doc)) return;
      asked = text;
      activateHover(view, head, side, {
        tooltip: hover,
        until: ({ docChanged, selection }) => docChanged || selection !== undefined,
      });
      asked = null;
      // A screen reader does not notice the tooltip.
      view.dispatch({ effects: EditorView.announce.of(`${text.signature} ${text.documentation}`) });
    });
    return true;
  };
  const close = (view: EditorView): boolean => {
    if (view.state.field(hover.active).length === 0) return false;
    view.dispatch({ effects: closeHoverTooltip(hover) });
    return true;
  };
  return [hover, keymap.of([{ key: 'Shift-Alt-h', run: show }]), closesWithEscape(close)];
}
