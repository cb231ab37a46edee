import { PACKS } from '@trawl/type-check';
import { typePack } from '@trawl/type-check/collect-types';
import type { Plugin } from 'vite';

const PREFIX = 'virtual:library-types/';

/** Makes each pack of types a module whose default export is the pack. */
export const libraryTypes = (): Plugin => ({
  name: 'library-types',
  resolveId: id => (id.startsWith(PREFIX) ? `\0${id}` : null),
  load: id => {
    const pack = PACKS.find(name => id === `\0${PREFIX}${name}`);
    return pack ? `export default JSON.parse(${JSON.stringify(JSON.stringify(typePack(pack)))});` : null;
  },
});
