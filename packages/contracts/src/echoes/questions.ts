/** A question that a skript asks with `echo.question`. */
export interface Question {
  /** Any text, also of several lines. */
  text: string;
  /** The valid answers, each one line; empty if every answer is valid. */
  choices: string[];
}

/** Begins each line of a `question` echo that offers a choice. These lines are the last of the text. */
const CHOICE_MARK = '• ';
/** The beginnings of the lines that look like a choice, also of those that are indented already. */
const LOOKS_LIKE_CHOICE = /(^|\n)(?= *• )/g;
const INDENTED = /(^|\n) (?= *• )/g;

/**
 * Returns the `msg` of a `question` echo: the text, then a line for each choice. Indents lines of the text that look
 * like a choice by one space, so that `parseQuestion` can tell them apart.
 * See docs/decisions/0119-questions-progress-and-tables-are-text.md.
 */
export const questionMessage = ({ text, choices }: Question): string =>
  [text.replace(LOOKS_LIKE_CHOICE, '$1 '), ...choices.map(choice => CHOICE_MARK + choice)].join('\n');

/** Reads the `msg` of a `question` echo: the reverse of `questionMessage`. */
export function parseQuestion(msg: string): Question {
  const lines = msg.split('\n');
  const first = lines.findLastIndex((line, index) => index === 0 || !line.startsWith(CHOICE_MARK)) + 1;
  return {
    text: lines.slice(0, first).join('\n').replace(INDENTED, '$1'),
    choices: lines.slice(first).map(line => line.slice(CHOICE_MARK.length)),
  };
}

/** Returns the `msg` of the `answer` echo that closes the question with this `seq`. */
export const answerMessage = (seq: number, isAnswered: boolean): string =>
  `#${seq} ${isAnswered ? 'answered' : 'closed without an answer'}`;

/** Reads the `msg` of an `answer` echo: returns the `seq` of the question that it closes. */
export function closedQuestion(msg: string): number | undefined {
  const seq = /^#(\d+) /.exec(msg)?.[1];
  return seq === undefined ? undefined : Number(seq);
}
