import { closeCompletion } from '@codemirror/autocomplete';
import { PostgreSQL, sql } from '@codemirror/lang-sql';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import CodeMirror, { type ReactCodeMirrorRef } from '@uiw/react-codemirror';
import { useEffect, useMemo, useRef, useState } from 'react';
import { codeLook } from '../../../components/code/code-look.js';
import { offsetOf } from './sql-place.js';

/** An error of PostgreSQL. `position` counts characters from 1; null if PostgreSQL names no place. */
export interface SqlProblem {
  message: string;
  position: number | null;
}

interface SqlEditorProps {
  value: string;
  onChange: (value: string) => void;
  onRun: () => void;
  problem: SqlProblem | null;
}

/** Editor of a SQL statement. It marks the place of an error and moves the cursor there. */
export default function SqlEditor({ value, onChange, onRun, problem }: SqlEditorProps) {
  const editor = useRef<ReactCodeMirrorRef>(null);
  const [isReady, setReady] = useState(false);
  const run = useRef(onRun);
  run.current = onRun;
  const extensions = useMemo(
    () => [
      Prec.highest(
        keymap.of([
          {
            key: 'Mod-Enter',
            run: view => {
              closeCompletion(view);
              run.current();
              return true;
            },
          },
        ]),
      ),
      sql({ dialect: PostgreSQL }),
      codeLook,
      lintGutter(),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({
        'aria-label': 'SQL statement',
        'aria-description': 'Press Escape and then Tab to leave the editor. Control and Enter runs the statement.',
        spellcheck: 'false',
      }),
    ],
    [],
  );
  useEffect(() => {
    const view = editor.current?.view;
    if (!isReady || !view) return;
    if (problem?.position == null) {
      view.dispatch(setDiagnostics(view.state, []));
      return;
    }
    const text = view.state.doc.toString();
    const from = offsetOf(text, problem.position);
    const word = view.state.wordAt(from);
    const to = word && word.from <= from ? word.to : Math.min(from + 1, text.length);
    view.dispatch(setDiagnostics(view.state, [{ from, to, severity: 'error', message: problem.message }]));
    view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from) });
    view.focus();
  }, [isReady, problem]);
  return (
    <CodeMirror
      ref={editor}
      className="code"
      height="100%"
      theme="none"
      value={value}
      onChange={onChange}
      onCreateEditor={() => setReady(true)}
      extensions={extensions}
    />
  );
}
