import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import CodeMirror from '@uiw/react-codemirror';
import { useCallback, useMemo } from 'react';
import { codeLook } from '../../../../components/code/code-look.js';
import { fileLanguage } from '../../../../components/code/file-language.js';

interface ReadOnlyCodeProps {
  fileName: string;
  value: string;
  /** The line to show first; null for the beginning. */
  line: number | null;
}

/** Text of a file that users can search and copy, and not change. */
export default function ReadOnlyCode({ fileName, value, line }: ReadOnlyCodeProps) {
  const extensions = useMemo(
    () => [
      fileLanguage(fileName),
      codeLook,
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ 'aria-label': `Content of ${fileName}, read only`, spellcheck: 'false' }),
    ],
    [fileName],
  );
  const showLine = useCallback(
    (view: EditorView) => {
      if (line === null) return;
      const { from } = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
    },
    [line],
  );
  return (
    <CodeMirror
      className="code"
      height="100%"
      theme="none"
      value={value}
      onCreateEditor={showLine}
      extensions={extensions}
    />
  );
}
