import { Document, isCollection, isPair, stringify, visit } from 'yaml';

const LINE_WIDTH = 120;
const STYLE = { lineWidth: LINE_WIDTH, indentSeq: false, flowCollectionPadding: false } as const;
/** Number of levels of the document that always have a line for each key: paths, operations and components. */
const OPEN_LEVELS = 4;

/** Formats the document as YAML. A map or list is on one line if it fits there. */
export function toYaml(value: object): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Collection(_key, node, path) {
      const level = path.filter(isCollection).length;
      if (level < OPEN_LEVELS) return undefined;
      const parent = path.at(-1);
      const before = 2 * level + (isPair(parent) ? String(parent.key).length + 2 : 2);
      const oneLine = stringify(node, { ...STYLE, collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
      if (before + oneLine.length > LINE_WIDTH) return undefined;
      node.flow = true;
      return visit.SKIP;
    },
  });
  return document.toString(STYLE);
}
