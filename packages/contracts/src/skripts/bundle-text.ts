/**
 * The text of a bundle, which the backend builds and a worker downloads: CommonJS code, then a comment with the files
 * of the run if there are any, then an inline source map.
 */

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
}

const FILES = '// run files ';
const SOURCE_MAP = '\n//# sourceMappingURL=';

/** Adds the files to a bundle. Returns a bundle without files unchanged. */
export function withRunFiles(code: string, files: readonly RunFile[]): string {
  if (files.length === 0) return code;
  const mapAt = code.lastIndexOf(SOURCE_MAP);
  return `${code.slice(0, mapAt)}\n${FILES}${oneLine(JSON.stringify(files))}${code.slice(mapAt)}`;
}

/** Separates the files from a bundle. Only the line before the source map counts: a skript's code cannot be there. */
export function splitBundle(text: string): BundleParts {
  const mapAt = text.lastIndexOf(SOURCE_MAP);
  const lineAt = text.lastIndexOf('\n', mapAt - 1);
  if (mapAt <= 0 || !text.startsWith(FILES, lineAt + 1)) return { code: text, filesJson: '[]' };
  return {
    code: text.slice(0, lineAt) + text.slice(mapAt),
    filesJson: text.slice(lineAt + 1 + FILES.length, mapAt),
  };
}

/** Escapes the two characters that end a comment of JavaScript but may stand in JSON. */
const oneLine = (json: string): string => json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
