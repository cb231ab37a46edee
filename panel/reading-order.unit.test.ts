import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ts } from '@trawl/type-check';

const SOURCES = 'panel/src';
/** Users name these freely. The API refuses characters that reorder text in all other names. */
const OWNERS = ['skript', 'schedule', 'exporter', 'collection', 'index', 'table'];
const NAMES = ['name', 'title', 'category', 'description', 'job_name'];
/** These remove the characters from the attributes that they show. */
const SAFE = ['CopyId', 'FormModal', 'NameModal', 'Page', 'RowMenu', 'Thumbnail'];

/** Returns where an expression shows a name as it is. What it passes to a function is not shown. */
function rawNames(expression: ts.Node): ts.Node[] {
  if (ts.isCallExpression(expression) || ts.isFunctionLike(expression) || ts.isJsxOpeningLikeElement(expression))
    return [];
  if (ts.isJsxElement(expression) || ts.isJsxFragment(expression)) return [];
  if (ts.isConditionalExpression(expression))
    return [...rawNames(expression.whenTrue), ...rawNames(expression.whenFalse)];
  if (ts.isBinaryExpression(expression) && expression.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken)
    return rawNames(expression.right);
  if (ts.isPropertyAccessExpression(expression)) {
    const owner = expression.expression.getText().split('.').at(-1) ?? '';
    return OWNERS.includes(owner) && NAMES.includes(expression.name.text) ? [expression] : [];
  }
  const found: ts.Node[] = [];
  ts.forEachChild(expression, child => void found.push(...rawNames(child)));
  return found;
}

/** Returns the shown names of a module that do not go through `inReadingOrder`, as `place: name`. */
function shownRaw(path: string, source: string): string[] {
  const module = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isJsxExpression(node) && node.expression) {
      const attribute = ts.isJsxAttribute(node.parent) ? node.parent : undefined;
      const isText = !attribute || /^(title|label|alt|hint|what|aria-label)$/.test(attribute.name.getText());
      const element = attribute?.parent.parent.tagName.getText() ?? '';
      if (isText && !SAFE.includes(element))
        for (const name of rawNames(node.expression)) {
          const { line } = module.getLineAndCharacterOfPosition(name.getStart());
          found.push(`${path}:${line + 1}: ${name.getText()}`);
        }
    }
    ts.forEachChild(node, visit);
  };
  visit(module);
  return found;
}

it('the panel removes characters that reverse text from every name that users can choose', () => {
  const paths = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
    path => path.endsWith('.tsx') && !path.endsWith('.test.tsx'),
  );
  expect(paths.length).toBeGreaterThan(200);
  expect(paths.flatMap(path => shownRaw(path, readFileSync(join(SOURCES, path), 'utf8')))).toEqual([]);
});

it.each([
  ['<Link to={to}>{schedule.name}</Link>', ['x.tsx:1: schedule.name']],
  ['<p aria-label={`Run $' + '{run.skript.name} now`} />', ['x.tsx:1: run.skript.name']],
  ['<p>{isNew ? skript.title : null}</p>', ['x.tsx:1: skript.title']],
  ['<p>{inReadingOrder(schedule.name)}</p>', []],
  ['<Page title={skript.title} />', []],
])('the check for unsafe names finds those shown by %s', (source, expected) => {
  expect(shownRaw('x.tsx', source)).toEqual(expected);
});
