import { useState } from 'react';
import { DEFAULT_INPUT, DEFAULT_INPUT_SECRET, defaultInputId } from '../../api/default-input.js';
import type { JsonValue } from '../../api/entities.js';
import { useSkript } from '../../api/requests/get-skript.js';
import { useInputText } from '../../api/requests/inputs/get-input.js';
import { useInputSecrets } from '../../api/requests/inputs/list-input-secrets.js';
import { useInputs } from '../../api/requests/inputs/list-inputs.js';
import { notifyError } from '../../components/feedback/notify.js';
import { parseTyped } from '../../components/json-tree/typed-json.js';
import { checkInput, messageOfProblems } from './schema-check.js';
import { type Entries, entriesOf, type FormProblems, fieldsOf, inputOf, problemsOf } from './schema-form.js';
import type { RunInput } from './start-call.js';

/** Where the input comes from: a saved one, the fields of the skript's `input_schema`, or JSON text. */
export type InputSource = 'stored' | 'form' | 'json';

/** Input to begin with: ids of saved values (null for none, undefined for the default), or a value. */
export interface InitialInput {
  input_id?: string | null;
  inputSecret_id?: string | null;
  value?: JsonValue;
}

/** Typed input that survives the end of the session. The browser keeps no secrets. */
export interface TypedInput {
  source: InputSource;
  inputText: string;
  entries: Entries | null;
}

/** An empty text makes no value. */
const typedValue = (text: string): { value?: JsonValue } | { problem: string } =>
  text.trim() === '' ? {} : parseTyped(text);

const errorOf = (typed: ReturnType<typeof typedValue>): string | undefined =>
  'problem' in typed ? typed.problem : undefined;

const jsonText = (value: JsonValue | undefined): string => (value === undefined ? '' : JSON.stringify(value, null, 2));

/** The state of the form's input: what the user chose or typed, and the request's input that it makes. */
export function useRunInput(skriptId: string, initial: InitialInput) {
  const skript = useSkript(skriptId).data;
  const inputs = useInputs(skriptId);
  const secrets = useInputSecrets(skriptId);
  const fields = fieldsOf(skript?.input_schema);
  const [chosenSource, setSource] = useState<InputSource | null>(initial.value === undefined ? null : 'json');
  // Undefined until the user chooses; null if the user chose to run without an input.
  const [chosenInputId, setInputId] = useState(initial.input_id);
  const [chosenSecretId, setSecretId] = useState(initial.inputSecret_id);
  const [inputText, setInputText] = useState(() => jsonText(initial.value));
  const [secretText, setSecretText] = useState('');
  const [changedEntries, setEntries] = useState<Entries | null>(null);
  const [keptText, setKeptText] = useState(() => jsonText(initial.value));
  const [wasTried, setTried] = useState(false);
  const loadText = useInputText();

  const defaultSource = fields && inputs.data?.items.length === 0 ? 'form' : 'stored';
  const source = chosenSource === 'form' && !fields ? 'json' : (chosenSource ?? defaultSource);
  const entries = changedEntries ?? (fields ? entriesOf(fields) : {});
  const typed =
    source === 'stored' ? '' : (source === 'form' ? jsonText(changedEntries as JsonValue) : inputText) + secretText;
  const isUnsaved = typed !== '' && typed !== 'null' && typed !== keptText;

  const inputId = chosenInputId === undefined ? defaultInputId(inputs.data?.items, DEFAULT_INPUT) : chosenInputId;
  const secretId =
    chosenSecretId === undefined ? defaultInputId(secrets.data?.items, DEFAULT_INPUT_SECRET) : chosenSecretId;
  const input = typedValue(inputText);
  const inputSecret = typedValue(secretText);

  /** Begins the JSON text with the chosen saved input, unless the user has typed one. */
  const beginText = async (id: string): Promise<void> => {
    try {
      const text = await loadText(id);
      setInputText(before => (before === '' ? text : before));
      // The user has typed nothing yet that leaving the page could lose.
      setKeptText(text);
    } catch (error) {
      notifyError('The saved input could not be loaded', error);
    }
  };

  /** Returns what is wrong with the form; null if nothing is, or if the input is not from the form. */
  const formProblems = (): FormProblems | null => {
    if (source !== 'form' || !fields) return null;
    const problems = problemsOf(skript?.input_schema, fields, entries);
    return problems.whole || Object.keys(problems.fields).length > 0 ? problems : null;
  };
  /** Returns what is wrong with the JSON text; undefined also for an empty text, which sends no input. */
  const jsonProblem = (): string | undefined => {
    if ('problem' in input) return errorOf(input);
    if (source !== 'json' || input.value === undefined) return undefined;
    return messageOfProblems(checkInput(skript?.input_schema, input.value), input.value);
  };

  /** Returns the input of the request; null while what the user typed is not valid. */
  const inputOfRequest = (): RunInput | null => {
    if (source === 'stored') return { from: 'stored', input_id: inputId, inputSecret_id: secretId };
    if ('problem' in inputSecret) return null;
    if (source === 'form' && fields) {
      if (formProblems()) return null;
      return { from: 'typed', input: inputOf(fields, entries), inputSecret: inputSecret.value };
    }
    return 'problem' in input || jsonProblem()
      ? null
      : { from: 'typed', input: input.value, inputSecret: inputSecret.value };
  };

  return {
    source,
    /** Changes the source. What is in the form and in the JSON text follows, as far as it is valid. */
    setSource: (next: InputSource) => {
      if (next === 'json' && source === 'form' && fields) setInputText(jsonText(inputOf(fields, entries)));
      if (next === 'json' && source === 'stored' && inputText === '' && inputId) void beginText(inputId);
      if (next === 'form' && source === 'json' && fields && 'value' in input && input.value !== undefined)
        setEntries(entriesOf(fields, input.value));
      setSource(next);
    },
    stored: { inputs, secrets, inputId, secretId, setInputId, setSecretId },
    json: { inputText, setInputText, inputError: wasTried ? jsonProblem() : errorOf(input) },
    secret: { secretText, setSecretText, secretError: errorOf(inputSecret) },
    form: fields && { fields, entries, setEntries, problems: wasTried ? formProblems() : null },
    inputOfRequest,
    /** Shows the problems of all fields. */
    markTried: () => setTried(true),
    /** The unsaved input; null if there is none. */
    unsaved: isUnsaved ? { source, inputText, entries: changedEntries } : null,
    restore: (before: TypedInput) => {
      setSource(before.source);
      setInputText(before.inputText);
      setEntries(before.entries);
    },
    /** A run or the skript keeps the typed values, so leaving the page loses nothing. */
    markKept: () => setKeptText(typed),
    reset: () => {
      setInputId(undefined);
      setSecretId(undefined);
      setEntries(null);
      setSource(null);
      setTried(false);
    },
  };
}

export type RunInputState = ReturnType<typeof useRunInput>;
