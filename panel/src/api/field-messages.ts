import { fieldErrors } from './api-error.js';

/** Labels of a form's fields by their name in the API, such as `destination.url`. */
export type FieldLabels = Readonly<Record<string, string>>;

/** Returns a sentence about the label. The API puts the field's name first, all of it or its last part, or leaves it out. */
function sentence(field: string, label: string, message: string): string {
  if (/^[A-Z]/.test(message)) return ended(message);
  const [own = field] = field.split('.').slice(-1);
  const name = [field, own].find(one => message.startsWith(`${one} `));
  return ended(`${label} ${name === undefined ? message : message.slice(name.length + 1)}`);
}

const ended = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);

/**
 * Returns the message for each labelled field of a `validation_failed` error: a sentence about the label, because users
 * do not know the names of the API.
 */
export const fieldMessages = (error: unknown, labels: FieldLabels): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fieldErrors(error)).flatMap(([field, message]) =>
      labels[field] === undefined ? [] : [[field, sentence(field, labels[field], message)]],
    ),
  );

/**
 * Returns true if the labelled fields of a form show everything that is wrong, so that a notice need not repeat it.
 */
export function isAtFields(error: unknown, labels: FieldLabels): boolean {
  const refused = Object.keys(fieldErrors(error));
  return refused.length > 0 && refused.every(name => name in labels);
}
