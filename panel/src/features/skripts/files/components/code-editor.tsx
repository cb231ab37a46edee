import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { unifiedMergeView } from '@codemirror/merge';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { BundleProblem } from '@trawl/contracts';
import CodeMirror, { type ReactCodeMirrorRef } from '@uiw/react-codemirror';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';

// The colours are variables of the brand, so one theme works in both colour schemes.
const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '13.5px', backgroundColor: 'var(--panel-well)', color: 'var(--trawl-ink)' },
  '&.cm-focused': { outline: '2px solid var(--trawl-sea)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--trawl-font-code)', lineHeight: '1.6', fontVariantLigatures: 'none' },
  '.cm-content': { caretColor: 'var(--trawl-accent)', padding: '10px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--trawl-accent)', borderLeftWidth: '2px' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--trawl-muted)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--trawl-sea) 3%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--trawl-ink)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--trawl-sea) 24%, transparent)',
  },
  '.cm-matchingBracket': { backgroundColor: 'color-mix(in srgb, var(--trawl-sea) 22%, transparent)' },
  '.cm-deletedChunk': { backgroundColor: 'color-mix(in srgb, var(--trawl-error) 9%, transparent)' },
  '.cm-deletedChunk .cm-chunkButtons': { position: 'static', display: 'flex', gap: '6px', padding: '4px 0' },
  '.cm-deletedChunk .cm-chunkButtons button': {
    margin: '0',
    padding: '2px 10px',
    border: '1px solid var(--trawl-line)',
    borderRadius: '6px',
    background: 'var(--panel-card)',
    color: 'var(--trawl-ink)',
    font: '500 12.5px var(--trawl-font-text)',
  },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--panel-card)',
    color: 'var(--trawl-ink)',
    borderColor: 'var(--trawl-line)',
  },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.moduleKeyword, tags.operatorKeyword], color: 'var(--trawl-accent-text)' },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: 'var(--trawl-ok)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--trawl-warn)' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'var(--trawl-sea)' },
  { tag: [tags.comment], color: 'var(--trawl-muted)', fontStyle: 'italic' },
  { tag: [tags.propertyName], color: 'var(--trawl-ink)' },
  { tag: [tags.invalid], color: 'var(--trawl-error)' },
]);

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
      theme,
      syntaxHighlighting(colours),
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
