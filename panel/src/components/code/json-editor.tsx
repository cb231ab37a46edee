import { json } from '@codemirror/lang-json';
import { linter } from '@codemirror/lint';
import { EditorView, keymap, placeholder as placeholderText } from '@codemirror/view';
import { Input } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import CodeMirror, { type ReactCodeMirrorRef } from '@uiw/react-codemirror';
import { useId, useMemo, useRef } from 'react';
import { codeLook } from './code-look.js';
import { formatJson, replaceByFormatted } from './format-json.js';
import { jsonDiagnostics } from './json-diagnostics.js';
import { heightOf, type JsonFieldProps } from './json-field-props.js';
import { jsonProblem } from './json-problems.js';

const PROBLEM_DELAY_MS = 600;

const formatKey = keymap.of([
  {
    key: 'Shift-Alt-f',
    run: view => {
      replaceByFormatted(view, formatJson(view.state.doc.toString()));
      return true;
    },
  },
]);

/** Editor of a JSON text in a form. Tab leaves it, as it leaves other fields. */
export default function JsonEditor(props: JsonFieldProps) {
  const { label, description, placeholder = '', value, onChange, onBlur, error, autoFocus = false } = props;
  const { isRequired = false, minRows, maxRows, className } = props;
  const editor = useRef<ReactCodeMirrorRef>(null);
  const id = useId();
  const [settled] = useDebouncedValue(value, PROBLEM_DELAY_MS);
  const problem = jsonProblem(settled);
  const shown = problem ? `Line ${problem.line}, column ${problem.column}: ${problem.message}` : error;
  const isWrong = Boolean(shown);
  const extensions = useMemo(
    () => [
      json(),
      linter(jsonDiagnostics),
      formatKey,
      codeLook,
      EditorView.lineWrapping,
      placeholder === '' ? [] : placeholderText(placeholder),
      EditorView.contentAttributes.of({
        'aria-label': label,
        'aria-describedby': [description && `${id}-description`, isWrong && `${id}-error`].filter(Boolean).join(' '),
        'aria-invalid': String(isWrong),
        'aria-required': String(isRequired),
        spellcheck: 'false',
      }),
    ],
    [placeholder, label, description, isRequired, isWrong, id],
  );
  return (
    <Input.Wrapper
      className={className}
      label={label}
      labelElement="div"
      labelProps={{ onClick: () => editor.current?.view?.focus() }}
      description={description}
      descriptionProps={{ id: `${id}-description` }}
      error={shown}
      errorProps={{ id: `${id}-error`, role: 'status' }}
      withAsterisk={isRequired}
    >
      <CodeMirror
        ref={editor}
        className="json-code"
        data-error={isWrong || undefined}
        minHeight={heightOf(minRows)}
        maxHeight={heightOf(maxRows)}
        theme="none"
        indentWithTab={false}
        basicSetup={{
          lineNumbers: false,
          foldGutter: false,
          highlightActiveLine: false,
          highlightActiveLineGutter: false,
          autocompletion: false,
        }}
        autoFocus={autoFocus}
        value={value}
        onChange={onChange}
        onBlur={onBlur}
        extensions={extensions}
      />
    </Input.Wrapper>
  );
}
