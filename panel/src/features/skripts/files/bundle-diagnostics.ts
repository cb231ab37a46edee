import { type Diagnostic, forEachDiagnostic, setDiagnostics } from '@codemirror/lint';
import type { EditorView } from '@codemirror/view';
import type { BundleProblem } from '@trawl/contracts';
import { setLineMessages } from './line-messages.js';

const SOURCE = 'bundle';

/** Returns the offset of a line and column, which count from 1. A place outside the text gives the nearest one in it. */
export function offsetOf(view: EditorView, line: number, column: number): number {
  const { from, to } = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
  return Math.min(from + Math.max(0, column - 1), to);
}

const toDiagnostic = (view: EditorView, { line, column, message }: BundleProblem): Diagnostic => {
  const from = offsetOf(view, line ?? 1, column ?? 1);
  return { from, to: Math.max(from, view.state.doc.lineAt(from).to), severity: 'error', message, source: SOURCE };
};

/** Returns the diagnostics of the view at their places in its changed text. */
function diagnosticsOf(view: EditorView, isWanted: (diagnostic: Diagnostic) => boolean): Diagnostic[] {
  const found: Diagnostic[] = [];
  forEachDiagnostic(view.state, (diagnostic, from, to) => {
    if (isWanted(diagnostic)) found.push({ ...diagnostic, from, to });
  });
  return found;
}

/** Problems of the bundle that the view shows. A linter keeps them: it replaces all diagnostics by those it returns. */
export const bundleDiagnostics = (view: EditorView): Diagnostic[] =>
  diagnosticsOf(view, ({ source }) => source === SOURCE);

/** Shows these problems of the bundle instead of earlier ones, beside those of the linter. */
export function showBundleProblems(view: EditorView, problems: readonly BundleProblem[]): void {
  const others = diagnosticsOf(view, ({ source }) => source !== SOURCE);
  const own = problems.map(problem => toDiagnostic(view, problem));
  view.dispatch(setDiagnostics(view.state, [...own, ...others]), {
    effects: setLineMessages.of(own.map(({ from, message }) => ({ at: from, message }))),
  });
}
