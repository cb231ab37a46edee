import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';

export interface JsonProblem {
  from: number;
  to: number;
  /** Both count from 1. */
  line: number;
  column: number;
  message: string;
}

/** Words by jsonc-parser's name of the error. */
const WORDS: Record<string, string> = {
  InvalidNumberFormat: 'This number is not valid in JSON.',
  PropertyNameExpected: 'Write a name in double quotes here, or remove the comma before.',
  ValueExpected: 'A value is missing here.',
  ColonExpected: 'A colon is missing after the name.',
  CommaExpected: 'A comma is missing here.',
  CloseBraceExpected: 'A closing } is missing.',
  CloseBracketExpected: 'A closing ] is missing.',
  EndOfFileExpected: 'The value ends before this. Only one value is allowed.',
  InvalidCommentToken: 'JSON has no comments.',
  UnexpectedEndOfComment: 'JSON has no comments.',
  UnexpectedEndOfString: 'The closing double quote is missing.',
  UnexpectedEndOfNumber: 'This number is not complete.',
  InvalidUnicode: 'Write \\u with four hexadecimal digits.',
  InvalidEscapeCharacter: 'JSON has no such escape. Write \\\\ for a backslash.',
  InvalidCharacter: 'Write a line break in a text as \\n, and a tab as \\t.',
};

function isValid(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the first problem of a JSON text; null if it is valid or blank. */
export function jsonProblem(text: string): JsonProblem | null {
  if (text.trim() === '' || isValid(text)) return null;
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true });
  const { error, offset, length } = errors[0] ?? { error: undefined, offset: 0, length: text.length };
  const words = error === undefined ? undefined : WORDS[printParseErrorCode(error)];
  const before = text.slice(0, offset).split('\n');
  return {
    from: offset,
    to: Math.min(text.length, offset + Math.max(1, length)),
    line: before.length,
    column: (before.at(-1) ?? '').length + 1,
    message:
      words ?? `\`${text.slice(offset, offset + Math.max(1, length))}\` is not valid JSON. Put text in double quotes.`,
  };
}
