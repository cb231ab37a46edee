import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

interface Version {
  manifest: Record<string, unknown>;
  archive: Buffer;
}

export interface Published {
  version?: string;
  /** Files of the package, without `package.json`; `manifest` defines that file. */
  files?: Record<string, string | Buffer>;
  /** Additional fields of package.json. */
  manifest?: Record<string, unknown>;
  /** The package's archive, if it is not made of the files. */
  archive?: Buffer;
  /** Additional fields that are only in the package list and not in package.json, such as another `dist`. */
  listed?: Record<string, unknown>;
}

const DRIP_MS = 500;

/**
 * An npm registry for tests, on its own port. Tests publish packages on it, and can replace its responses by errors.
 */
export class RegistryStandIn {
  /** The paths that were requested, in order. */
  readonly asked: string[] = [];
  /** A test can set this to respond to requests itself. If it returns false, the registry responds. */
  answer: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  readonly #packages = new Map<string, Map<string, Version>>();
  #server: Server | undefined;

  async open(): Promise<void> {
    this.#server = createServer((request, response) => {
      this.asked.push(request.url ?? '');
      if (!this.answer(request, response)) this.#answer(decodeURIComponent(request.url ?? ''), response);
    });
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async close(): Promise<void> {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  get url(): string {
    const { port } = (this.#server as Server).address() as AddressInfo;
    return `http://127.0.0.1:${port}/`;
  }

  /** Answers with one byte every 500 ms, and never ends by itself: npm's timeout never applies. */
  drip(response: ServerResponse): true {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), DRIP_MS);
    response.on('close', () => clearInterval(timer));
    return true;
  }

  publish(name: string, published: Published = {}): void {
    const { version = '1.0.0', files = {}, manifest = {}, listed = {} } = published;
    const own = { name, version, main: 'index.js', ...manifest };
    const archive = published.archive ?? archiveOf({ 'package.json': JSON.stringify(own), ...files });
    const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
    const tarball = `${this.url}${name}/-/${name.replace(/^.*\//, '')}-${version}.tgz`;
    const versions = this.#packages.get(name) ?? new Map<string, Version>();
    versions.set(version, { archive, manifest: { ...own, dist: { tarball, integrity }, ...listed } });
    this.#packages.set(name, versions);
  }

  #answer(path: string, response: ServerResponse): void {
    const [, name = '', file] = /^\/((?:@[^/]+\/)?[^/]+)(?:\/-\/(.+))?$/.exec(path) ?? [];
    const versions = this.#packages.get(name);
    if (!versions) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}');
      return;
    }
    if (file) {
      response.end([...versions].find(([version]) => file.endsWith(`-${version}.tgz`))?.[1].archive);
      return;
    }
    const list = Object.fromEntries([...versions].map(([version, { manifest }]) => [version, manifest]));
    const latest = [...versions.keys()].at(-1);
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ name, 'dist-tags': { latest }, versions: list }));
  }
}

const REGULAR_FILE = '0';

/** Builds a gzipped tar with these files in the folder `package`. */
function archiveOf(files: Record<string, string | Buffer>): Buffer {
  const blocks = Object.entries(files).flatMap(([name, content]) => {
    const bytes = Buffer.from(content as string);
    return [tarHeader(`package/${name}`, bytes.length), bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

/**
 * Builds the header of an entry in a tar.
 *
 * @param type see `typeflag` of ustar
 * @param target where a link leads
 */
export function tarHeader(name: string, bytes: number, type = REGULAR_FILE, target = ''): Buffer {
  const header = Buffer.alloc(512);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  header.write(name, 0);
  header.write(`${octal(0o644, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100);
  header.write(`${octal(bytes, 11)}\0${octal(0, 11)}\0        ${type}${target}`, 124);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return header;
}
