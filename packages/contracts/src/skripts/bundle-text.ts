/**
 * The text of a bundle, which the backend builds and a worker downloads: CommonJS code, then a comment with the files
 * of the run if there are any, then one with its version of Node if that is not the default, then an inline source map.
 */
import { DEFAULT_RUN_NODE, type RunNode } from './run-nodes.js';

/** A file of a skript that no import reaches. Each run finds it in its folder. */
export interface RunFile {
  /** Path inside the run's folder, with `/` between folders. */
  name: string;
  content: string;
}

export interface BundleParts {
  /** The code with its source map. */
  code: string;
  /** The `RunFile[]` as JSON text. */
  filesJson: string;
  /** The version of Node that runs the code. */
  node: RunNode;
}

const NODE_22 = '\n// node 22';
const FILES = '// run files ';
const SOURCE_MAP = '\n//# sourceMappingURL=';

/**
 * Adds the files to a bundle. Returns a bundle without files unchanged.
 * See docs/decisions/0117-files-of-a-skript-and-its-bundle.md.
 */
export function withRunFiles(code: string, files: readonly RunFile[]): string {
  if (files.length === 0) return code;
  const mapAt = code.lastIndexOf(SOURCE_MAP);
  return `${code.slice(0, mapAt)}\n${FILES}${oneLine(JSON.stringify(files))}${code.slice(mapAt)}`;
}

/** Adds the version of Node that runs the bundle. Call it after `withRunFiles`. */
export function withRunNode(code: string, node: RunNode): string {
  if (node === DEFAULT_RUN_NODE) return code;
  const mapAt = code.lastIndexOf(SOURCE_MAP);
  return code.slice(0, mapAt) + NODE_22 + code.slice(mapAt);
}

/**
 * Separates the files and the version of Node from a bundle. Only the lines before the source map count: a skript's code
 * cannot be there.
 */
export function splitBundle(text: string): BundleParts {
  const mapAt = text.lastIndexOf(SOURCE_MAP);
  const isFor22 = mapAt > 0 && text.slice(0, mapAt).endsWith(NODE_22);
  const node = isFor22 ? 22 : DEFAULT_RUN_NODE;
  const end = isFor22 ? mapAt - NODE_22.length : mapAt;
  const lineAt = text.lastIndexOf('\n', end - 1);
  if (mapAt <= 0 || !text.startsWith(FILES, lineAt + 1)) return { code: text, filesJson: '[]', node };
  return {
    code: text.slice(0, lineAt) + text.slice(mapAt),
    filesJson: text.slice(lineAt + 1 + FILES.length, end),
    node,
  };
}

/** Escapes the two characters that end a comment of JavaScript but may stand in JSON. */
const oneLine = (json: string): string => json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
