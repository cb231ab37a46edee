import { fileTree, type TreeEntry } from './file-tree.js';

const files = (...names: string[]) => names.map(name => ({ id: `id of ${name}`, name }));
const outline = (entries: TreeEntry[]): unknown[] =>
  entries.map(entry => (entry.kind === 'file' ? entry.label : [entry.label, outline(entry.children)]));

describe('the file tree of a skript', () => {
  it('sorts main.js first, then folders, then files', () => {
    const tree = fileTree(files('zebra.js', 'lib/prices.js', 'main.js', 'lib/text/clean.js', 'a.json'));
    expect(outline(tree)).toEqual(['main.js', ['lib', [['text', ['clean.js']], 'prices.js']], 'a.json', 'zebra.js']);
  });

  it('contains the id and full name of every file', () => {
    expect(fileTree(files('lib/a.js'))).toEqual([
      {
        kind: 'folder',
        label: 'lib',
        path: 'lib',
        children: [{ kind: 'file', label: 'a.js', path: 'lib/a.js', id: 'id of lib/a.js' }],
      },
    ]);
  });
});
