import ts from 'typescript';

/** Methods that run a function in a page, where other names exist. */
const RUN_IN_PAGE = /^(?:evaluate\w*|\$\$?eval|waitForFunction)$/;

/** Properties that Puppeteer has removed. Runs have them, for older skripts: `worker/src/runner/browser/removed-methods.ts`. */
const RESTORED = new Set([
  '$x',
  '_client',
  'createIncognitoBrowserContext',
  'devices',
  'waitFor',
  'waitForTimeout',
  'waitForXPath',
]);

/** Codes of problems with names that do not exist. */
const UNKNOWN_NAMES = new Set([2304, 2552]);
/** Codes of problems with properties that do not exist; the first one suggests another name. */
const SIMILAR_PROPERTY = 2551;
const UNKNOWN_PROPERTIES = new Set([SIMILAR_PROPERTY, 2339]);
/** Codes of calls of what is no function or no class. */
const NOT_CALLABLE = new Set([2349, 2351]);
/** Calls of a class as a function, too many arguments, unknown options, assignments to a `const`, names declared twice. */
const ALWAYS = new Set([2300, 2348, 2353, 2451, 2554, 2555, 2561, 2588]);
/** Codes of problems with arguments of a wrong type. */
const WRONG_ARGUMENTS = new Set([2345, 2559, 2769]);
const NOT_ASSIGNABLE = 2322;
const UNKNOWN_MODULE = 2307;

/**
 * Tells whether a problem is worth showing in JavaScript without annotations: a mistake that a reader would see at once.
 * Others are often false, such as a property of an element of which TypeScript knows only the selector.
 */
export function isWorthSaying(problem: ts.Diagnostic, source: ts.SourceFile, checker: ts.TypeChecker): boolean {
  const { code, start = 0 } = problem;
  if (ALWAYS.has(code)) return true;
  const node = nodeAt(source, start);
  if (NOT_CALLABLE.has(code)) return !isCallable(defaultOf(checker.getTypeAtLocation(node), checker));
  if (WRONG_ARGUMENTS.has(code)) return isOfTypedFunction(node, checker);
  if (UNKNOWN_NAMES.has(code)) return !ancestors(node).some(isRunInPage);
  if (UNKNOWN_PROPERTIES.has(code)) return isOfLibrary(node, checker, code === SIMILAR_PROPERTY);
  // In an option of a call.
  if (code === NOT_ASSIGNABLE) return isInOptions(node);
  return code === UNKNOWN_MODULE;
}

function nodeAt(source: ts.SourceFile, position: number): ts.Node {
  const visit = (node: ts.Node): ts.Node => {
    const child = ts.forEachChild(node, one =>
      one.getStart(source) <= position && position < one.end ? one : undefined,
    );
    return child ? visit(child) : node;
  };
  return visit(source);
}

function ancestors(node: ts.Node): ts.Node[] {
  const all: ts.Node[] = [];
  for (let at: ts.Node | undefined = node; at; at = at.parent) all.push(at);
  return all;
}

/**
 * Tells whether somebody wrote down the types of the function that a node is an argument of: a library, TypeScript or a
 * comment. TypeScript guesses other types from the code, and functions of the language convert what they get.
 */
function isOfTypedFunction(node: ts.Node, checker: ts.TypeChecker): boolean {
  const call = ancestors(node).find(one => ts.isCallExpression(one) || ts.isNewExpression(one));
  const declaration = call && checker.getResolvedSignature(call)?.declaration;
  if (!declaration) return false;
  const { fileName } = declaration.getSourceFile();
  if (/\.[cm]?jsx?$/.test(fileName))
    return declaration.parameters.some(one => ts.isParameter(one) && ts.getJSDocType(one));
  return !fileName.startsWith('/lib/');
}

const isRunInPage = (node: ts.Node): boolean =>
  ts.isCallExpression(node) &&
  ts.isPropertyAccessExpression(node.expression) &&
  RUN_IN_PAGE.test(node.expression.name.text);

/**
 * Tells whether a library declares the thing that lacks the property, or a property with that thing as its value, or the
 * language if another name is similar.
 */
function isOfLibrary(name: ts.Node, checker: ts.TypeChecker, hasSimilar: boolean): boolean {
  const { parent } = name;
  if (RESTORED.has(name.getText())) return false;
  const owner = ts.isPropertyAccessExpression(parent) ? parent.expression : ts.isBindingElement(parent) ? parent : null;
  if (!owner) return false;
  const type = checker.getTypeAtLocation(ts.isBindingElement(owner) ? owner.parent : owner);
  const byDefault = defaultOf(type, checker);
  if (byDefault && checker.getPropertyOfType(byDefault, name.getText())) return false;
  // Such as `data` of a node of cheerio, which texts have and elements lack.
  if (type.isUnion() && type.types.some(one => checker.getPropertyOfType(one, name.getText()))) return false;
  // Such as `attributes` of cheerio, which is an array.
  const property = ts.isPropertyAccessExpression(owner) ? checker.getSymbolAtLocation(owner) : undefined;
  if (pathsOf(property).some(path => path.includes('/node_modules/'))) return true;
  return pathsOf(type.symbol ?? type.aliasSymbol).some(
    path => path.includes('/node_modules/') || (hasSimilar && /^\/lib\/(?!lib\.dom)/.test(path)),
  );
}

/**
 * Returns the type of the default export of a module. Many older libraries export it with `module.exports` too, which
 * their types do not say: those of axios 0 and got 11.
 */
function defaultOf({ symbol }: ts.Type, checker: ts.TypeChecker): ts.Type | null {
  if (!symbol || (symbol.flags & ts.SymbolFlags.ValueModule) === 0) return null;
  const exported = checker.getExportsOfModule(symbol).find(({ escapedName }) => escapedName === 'default');
  return exported ? checker.getTypeOfSymbol(exported) : null;
}

const isCallable = (type: ts.Type | null): boolean =>
  type !== null && type.getCallSignatures().length + type.getConstructSignatures().length > 0;

const pathsOf = (symbol: ts.Symbol | undefined): string[] =>
  symbol?.declarations?.map(one => one.getSourceFile().fileName) ?? [];

const isInOptions = (node: ts.Node): boolean => {
  const around = ancestors(node);
  const options = around.findIndex(ts.isObjectLiteralExpression);
  const call = around[options + 1];
  return options > 0 && call !== undefined && (ts.isCallExpression(call) || ts.isNewExpression(call));
};
