import { countText } from '@trawl/contracts';
import { parseExactJson } from '../parsing/json-rows.js';
import { UnreadableFile } from '../parsing/unreadable.js';

/** The last characters of a line that cannot be the last of a document. */
const UNFINISHED = '{[,:';

/**
 * Refuses a JSON object that has several lines, or that is the only one and holds the rows in a list, such as `{"rows":[…]}`: it would
 * be one document.
 * @param lines the first lines of the file.
 * @param isNamed whether the user or the name of the file says that each line is a document.
 */
export function refuseObjectsOfRows([first = '', ...others]: string[], isNamed: boolean): void {
  if (UNFINISHED.includes(first.at(-1) ?? '-')) {
    throw new UnreadableFile(
      'The file has JSON over several lines, but each line must be a document. If an object holds the list of rows, upload the list alone: [{…}, {…}]. Otherwise write each document in one line.',
    );
  }
  const list = isNamed || others.length > 0 ? undefined : listIn(first);
  if (!list) return;
  throw new UnreadableFile(
    `The file is one JSON object, whose list \`${list.name}\` has ${countText(list.length, 'object')}. To import these, upload the list alone: [{…}, {…}]. To import the object as one document, choose the format ndjson.`,
  );
}

function listIn(line: string): { name: string; length: number } | undefined {
  let value: unknown;
  try {
    value = parseExactJson(line);
  } catch {
    return undefined;
  }
  const [name, list] = Object.entries(value ?? {}).find(([, one]) => isListOfObjects(one)) ?? [];
  return name === undefined ? undefined : { name: name.slice(0, 100), length: (list as unknown[]).length };
}

const isListOfObjects = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(one => typeof one === 'object' && one !== null);
