import ts from 'typescript';

/** A name of a module in a file, and where it is, with its quotes. */
export interface ImportedName {
  name: string;
  from: number;
  to: number;
}

/** Returns the names of all modules that a text imports. */
export const importsOf = (text: string): ImportedName[] =>
  ts.preProcessFile(text, true, true).importedFiles.map(({ fileName, pos }) => ({
    name: fileName,
    from: pos,
    to: pos + fileName.length + 2,
  }));

export const importsIn = (text: string): string[] => importsOf(text).map(({ name }) => name);

/** Returns no dependencies if package.json is invalid; the build reports it. */
export function dependenciesIn(packageFile: string): Record<string, unknown> {
  try {
    return Object(Object(JSON.parse(packageFile)).dependencies);
  } catch {
    return {};
  }
}

/** Returns the text in quotes at a position if it names a module. */
export function moduleNameAt(source: ts.SourceFile, position: number): ts.StringLiteralLike | null {
  const visit = (node: ts.Node): ts.StringLiteralLike | null => {
    if (position <= node.getStart(source) || position > node.getEnd()) return null;
    if (!ts.isStringLiteralLike(node)) return ts.forEachChild(node, visit) ?? null;
    const { parent } = node;
    const isCalled =
      ts.isCallExpression(parent) &&
      parent.arguments[0] === node &&
      (parent.expression.kind === ts.SyntaxKind.ImportKeyword || parent.expression.getText(source) === 'require');
    return isCalled || ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) ? node : null;
  };
  return ts.forEachChild(source, visit) ?? null;
}

/** Returns the name by which a file imports another one. */
export function relativePath(from: string, to: string): string {
  const folders = from.split('/').slice(0, -1);
  const target = to.split('/');
  let common = 0;
  while (common < folders.length && folders[common] === target[common]) common += 1;
  const up = '../'.repeat(folders.length - common);
  return `${up || './'}${target.slice(common).join('/')}`;
}
