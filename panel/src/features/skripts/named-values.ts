import { DEFAULT_INPUT, DEFAULT_INPUT_SECRET } from '../../api/default-input.js';
import type { JsonValue } from '../../api/entities.js';

/** An input or an input secret as it is edited. */
export type NamedValue =
  | { id: null; name: string; val: { value: JsonValue } }
  /** Without a `val` the stored one stays. */
  | { id: string; name: string; val: { value: JsonValue } | null };

export interface NamedValueKind {
  /** As in "the input". */
  noun: string;
  title: string;
  explanation: string;
  /** The name under which a run takes it when nobody chooses. */
  defaultName: string;
  /** What is wrong with a name, or null. */
  nameProblem: (name: string) => string | null;
}

export const INPUT: NamedValueKind = {
  noun: 'input',
  title: 'Inputs',
  explanation: 'JSON that main.js gets as its first argument.',
  defaultName: DEFAULT_INPUT,
  nameProblem: name =>
    /^input.*\.json$/.test(name) && !name.startsWith('inputSecret')
      ? null
      : 'The name begins with "input", not with "inputSecret", and ends with ".json".',
};

export const INPUT_SECRET: NamedValueKind = {
  noun: 'input secret',
  title: 'Input secrets',
  explanation: 'JSON that main.js gets as its second argument. It is kept encrypted and is never shown again.',
  defaultName: DEFAULT_INPUT_SECRET,
  nameProblem: name =>
    /^inputSecret.*\.json$/.test(name) ? null : 'The name begins with "inputSecret" and ends with ".json".',
};
