import { gzipSync } from 'node:zlib';
import { RegistryStandIn, tarHeader } from '@trawl/libraries/registry-stand-in';

/** `crowd-200-x` has 200 files. Any text may follow, so a test can name a package that nobody has installed yet. */
const CROWD = /^\/crowd-(\d+)-\w+$/;
const BOMB = /^\/bomb-\w+$/;
const MB = 1024 * 1024;

/** An npm registry whose packages have the wanted number of files, or unpack to a gigabyte. */
export async function openCrowdedRegistry(): Promise<RegistryStandIn> {
  const registry = new RegistryStandIn();
  const archives = new Map<number, Buffer>();
  const bomb = bombArchive();
  const known = new Set<string>();
  registry.answer = ({ url = '' }) => {
    const files = Number(CROWD.exec(url)?.[1]);
    if (known.has(url) || !(files > 0 || BOMB.test(url))) return false;
    known.add(url);
    const archive = files > 0 ? (archives.get(files) ?? crowdArchive(files)) : bomb;
    if (files > 0) archives.set(files, archive);
    registry.publish(url.slice(1), { archive });
    return false;
  };
  await registry.open();
  return registry;
}

const file = (name: string, content: string): Buffer =>
  Buffer.concat([tarHeader(`package/${name}`, content.length), Buffer.from(content.padEnd(512, '\0'))]);
const packageJson = (name: string) => file('package.json', JSON.stringify({ name, version: '1.0.0' }));

function crowdArchive(files: number): Buffer {
  const parts = Array.from({ length: files }, (_, n) => file(`lib/${n % 100}/${n}.js`, `module.exports = ${n};`));
  return gzipSync(Buffer.concat([packageJson('crowd'), ...parts, Buffer.alloc(1_024)]));
}

/** gzip lets archives follow each other, so a short list of compressed parts makes a huge archive. */
function bombArchive(): Buffer {
  const zeros = gzipSync(Buffer.alloc(16 * MB));
  const head = gzipSync(Buffer.concat([packageJson('bomb'), tarHeader('package/zeros', 2_048 * MB)]));
  return Buffer.concat([head, ...Array.from({ length: 128 }, () => zeros), gzipSync(Buffer.alloc(1_024))]);
}
