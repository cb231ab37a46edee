import { closeCompletion, completionStatus } from '@codemirror/autocomplete';
import { type Extension, Prec } from '@codemirror/state';
import { type EditorView, keymap } from '@codemirror/view';

/**
 * Closes a tooltip with Escape, after the list of suggestions if that is open. It must stand before `autocompletion`, whose Escape
 * also ends suggestions that are still loading: the user sees none, and the tooltip would stay.
 *
 * @param close returns false if there was nothing to close
 */
export const closesWithEscape = (close: (view: EditorView) => boolean): Extension =>
  Prec.highest(
    keymap.of([
      {
        key: 'Escape',
        run: view => {
          if (completionStatus(view.state) === 'active' || !close(view)) return false;
          closeCompletion(view);
          return true;
        },
      },
    ]),
  );
