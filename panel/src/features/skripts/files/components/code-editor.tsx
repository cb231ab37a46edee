import { linter, lintGutter } from '@codemirror/lint';
import { unifiedMergeView } from '@codemirror/merge';
import { openSearchPanel } from '@codemirror/search';
import { type Extension, Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { Button, Tooltip } from '@mantine/core';
import { IconSearch, IconWand } from '@tabler/icons-react';
import type { BundleProblem } from '@trawl/contracts';
import CodeMirror, { type ReactCodeMirrorRef } from '@uiw/react-codemirror';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { codeLook } from '../../../../components/code/code-look.js';
import { fileLanguage } from '../../../../components/code/file-language.js';
import { replaceByFormatted } from '../../../../components/code/format-json.js';
import { jsonDiagnostics } from '../../../../components/code/json-diagnostics.js';
import { notifyError } from '../../../../components/feedback/notify.js';
import { bundleDiagnostics, offsetOf, showBundleProblems } from '../bundle-diagnostics.js';
import { canFormat, formatCode } from '../format-code.js';
import { lineMessages } from '../line-messages.js';
import { codeHelp } from '../types/code-help.js';
import type { ReadFiles } from '../use-read-files.js';

/** Marks the errors of a JSON file. The help for code marks those of the others. */
const jsonLinter = linter(view => [...bundleDiagnostics(view), ...jsonDiagnostics(view)]);

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
  /** Reads the other files of the skript, which the code may import. */
  readOthers: () => Promise<ReadFiles>;
  /** Problems of this file. */
  problems: readonly BundleProblem[];
  goTo: EditorPlace | null;
}

/** Button of one difference: the merge view accepts the text in the editor, or rejects it for the other text. */
function mergeButton(type: 'accept' | 'reject', act: (event: MouseEvent) => void): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.name = type;
  button.textContent = type === 'accept' ? 'Keep mine' : 'Take saved';
  button.onmousedown = act;
  return button;
}

async function format(view: EditorView, fileName: string): Promise<void> {
  const before = view.state.doc;
  try {
    const formatted = await formatCode(fileName, before.toString());
    // Keep what the user typed while Prettier was loading.
    if (view.state.doc.eq(before)) replaceByFormatted(view, formatted);
  } catch (error) {
    notifyError(`${fileName} could not be formatted`, error);
  }
}

/** Keys of the editor. The page handles Ctrl Enter, for which CodeMirror would add a line. */
const keysOf = (fileName: string): Extension =>
  Prec.highest(
    keymap.of([
      { key: 'Mod-Enter', run: () => true },
      {
        key: 'Shift-Alt-f',
        run: view => {
          if (canFormat(fileName)) void format(view, fileName);
          return true;
        },
      },
    ]),
  );

export default function CodeEditor(props: CodeEditorProps) {
  const { fileName, value, saved, onChange, readOthers, problems, goTo } = props;
  const editor = useRef<ReactCodeMirrorRef>(null);
  const others = useRef(readOthers);
  others.current = readOthers;
  const [isReady, setReady] = useState(false);
  const onCreateEditor = useCallback(() => setReady(true), []);
  const extensions = useMemo(
    () => [
      keysOf(fileName),
      fileLanguage(fileName),
      fileName.endsWith('.json') ? jsonLinter : [],
      codeHelp(fileName, () => others.current()),
      codeLook,
      lintGutter(),
      lineMessages,
      saved === undefined ? [] : unifiedMergeView({ original: saved, mergeControls: mergeButton }),
      EditorView.contentAttributes.of({
        'aria-label': `Content of ${fileName}`,
        'aria-description':
          'Press Escape and then Tab to leave the editor. Control and Space suggests names, Control, Shift and Space reads the parameters of a call, Shift, Alt and H reads the documentation of a name, F8 goes to the next problem.',
        // Escape leads out of the editor, and does not close a dialog around it.
        'data-mantine-stop-propagation': 'true',
        spellcheck: 'false',
      }),
    ],
    [fileName, saved],
  );

  useEffect(() => {
    const view = editor.current?.view;
    if (isReady && view) showBundleProblems(view, problems);
  }, [isReady, problems]);

  useEffect(() => {
    const view = editor.current?.view;
    if (!isReady || !view || !goTo) return;
    const anchor = offsetOf(view, goTo.line, goTo.column);
    view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    view.focus();
  }, [isReady, goTo]);

  const onView = (act: (view: EditorView) => void) => () => {
    const view = editor.current?.view;
    if (view) act(view);
  };
  const bar = (
    <div className="code-bar">
      <span>{fileName}</span>
      <Tooltip label="Ctrl F">
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<IconSearch size={13} aria-hidden />}
          onClick={onView(openSearchPanel)}
        >
          Search
        </Button>
      </Tooltip>
      {canFormat(fileName) && (
        <Tooltip label="Shift Alt F">
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={<IconWand size={13} aria-hidden />}
            onClick={onView(view => void format(view, fileName))}
          >
            Format
          </Button>
        </Tooltip>
      )}
    </div>
  );
  return (
    <div className="code-pane">
      {bar}
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
    </div>
  );
}
