import { readFileSync } from 'node:fs';
import { OlderEcho } from '@trawl/echo/older-echo';
import * as functionflow from '@trawl/functionflow';

const { FunctionFlow, ...exported } = functionflow;
/** Methods that begin with `_` are for older skripts that call them, and documented nowhere. */
const INTERNAL = ['constructor', 'event', 'rules'];
const membersOf = (type: { prototype: object }) =>
  Object.getOwnPropertyNames(type.prototype).filter(name => !INTERNAL.includes(name) && !name.startsWith('_'));

const FLOW = [...membersOf(FunctionFlow), ...Object.keys(exported), 'debug', 'msDelay', 'ff-step'];
const ECHO = [...membersOf(OlderEcho), 'answerTimeout', 'allEchoes', 'choices', 'timeout', 'progress', 'table'];

test.each([
  ['website/docs/libs/functionflow.mdx', FLOW],
  ['packages/functionflow/README.md', FLOW],
  ['website/docs/libs/echo.mdx', ECHO],
  ['packages/echo/README.md', ECHO],
])('the documentation %s names every method, field and class of its library', (path, names) => {
  const text = readFileSync(path, 'utf8');
  expect(names.filter(name => !new RegExp(`\`(?:[^\`\\n]*\\W)?${name}\\b`).test(text))).toEqual([]);
});
