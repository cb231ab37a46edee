import { DEFAULT_INPUT, DEFAULT_INPUT_SECRET } from '../../../api/default-input.js';
import type { JsonValue } from '../../../api/entities.js';

/** An input or input secret to save. */
export type NamedValue =
  | { id: null; name: string; val: { value: JsonValue } }
  /** If `val` is null, the saved value does not change. */
  | { id: string; name: string; val: { value: JsonValue } | null };

export interface NamedValueKind {
  /** Singular in lower case, such as "input". */
  noun: string;
  title: string;
  explanation: string;
  /** JSON text that a new value may look like. */
  example: string;
  /** Name of the input or secret that a run uses by default. */
  defaultName: string;
  /** Returns what is wrong with a name, or null. */
  nameProblem: (name: string) => string | null;
}

export const INPUT: NamedValueKind = {
  noun: 'input',
  title: 'Inputs',
  explanation: 'JSON that the function of main.js or main.ts gets as its first argument: async input => { … }.',
  example: '{ "pages": 3 }',
  defaultName: DEFAULT_INPUT,
  nameProblem: name =>
    /^input.*\.json$/.test(name) && !name.startsWith('inputSecret')
      ? null
      : 'The name must start with "input", not "inputSecret", and end with ".json".',
};

export const INPUT_SECRET: NamedValueKind = {
  noun: 'input secret',
  title: 'Input secrets',
  explanation:
    'JSON that the function of main.js or main.ts gets as its second argument: async (input, secret) => { … }. Trawl stores it encrypted and never shows it again.',
  example: '{ "password": "…" }',
  defaultName: DEFAULT_INPUT_SECRET,
  nameProblem: name =>
    /^inputSecret.*\.json$/.test(name) ? null : 'The name must start with "inputSecret" and end with ".json".',
};
