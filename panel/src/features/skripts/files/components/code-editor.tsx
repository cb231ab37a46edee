import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { unifiedMergeView } from '@codemirror/merge';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { BundleProblem } from '@trawl/contracts';
import CodeMirror, { type ReactCodeMirrorRef } from '@uiw/react-codemirror';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { codeLook } from '../../../../components/code/code-look.js';

const languageOf = (fileName: string): Extension => {
  if (/\.[cm]?[jt]sx?$/.test(fileName))
    return javascript({ jsx: /x$/.test(fileName), typescript: /\.[cm]?tsx?$/.test(fileName) });
  return fileName.endsWith('.json') ? json() : [];
};

/** Position that the editor moves to. To move to the same position again, pass a new object. */
interface EditorPlace {
  line: number;
  column: number;
}

interface CodeEditorProps {
  fileName: string;
  value: string;
  /** Another text, to show the differences of both. */
  saved?: string;
  onChange: (value: string) => void;
  /** Problems of this file. */
  problems: readonly BundleProblem[];
  goTo: EditorPlace | null;
}

const offsetOf = (view: EditorView, line: number, column: number): number => {
  const { from, to } = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
  return Math.min(from + Math.max(0, column - 1), to);
};

const toDiagnostic = (view: EditorView, { line, column, message }: BundleProblem): Diagnostic => {
  const from = offsetOf(view, line ?? 1, column ?? 1);
  return { from, to: Math.max(from, view.state.doc.lineAt(from).to), severity: 'error', message };
};

/** Button of one difference: the merge view accepts the text in the editor, or rejects it for the other text. */
function mergeButton(type: 'accept' | 'reject', act: (event: MouseEvent) => void): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.name = type;
  button.textContent = type === 'accept' ? 'Keep mine' : 'Take saved';
  button.onmousedown = act;
  return button;
}

export default function CodeEditor({ fileName, value, saved, onChange, problems, goTo }: CodeEditorProps) {
  const editor = useRef<ReactCodeMirrorRef>(null);
  const [isReady, setReady] = useState(false);
  const onCreateEditor = useCallback(() => setReady(true), []);
  const extensions = useMemo(
    () => [
      languageOf(fileName),
      codeLook,
      lintGutter(),
      saved === undefined ? [] : unifiedMergeView({ original: saved, mergeControls: mergeButton }),
      EditorView.contentAttributes.of({
        'aria-label': `Content of ${fileName}`,
        'aria-description': 'Press Escape and then Tab to leave the editor.',
        spellcheck: 'false',
      }),
    ],
    [fileName, saved],
  );

  useEffect(() => {
    const view = editor.current?.view;
    if (!isReady || !view) return;
    view.dispatch(
      setDiagnostics(
        view.state,
        problems.map(problem => toDiagnostic(view, problem)),
      ),
    );
  }, [isReady, problems]);

  useEffect(() => {
    const view = editor.current?.view;
    if (!isReady || !view || !goTo) return;
    const anchor = offsetOf(view, goTo.line, goTo.column);
    view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    view.focus();
  }, [isReady, goTo]);

  return (
    <CodeMirror
      ref={editor}
      className="code"
      height="100%"
      theme="none"
      value={value}
      onChange={onChange}
      onCreateEditor={onCreateEditor}
      extensions={extensions}
    />
  );
}
