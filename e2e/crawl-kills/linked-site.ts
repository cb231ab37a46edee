import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const LINKS = 5;

/**
 * A site of linked pages, `/0`, `/1` and so on. A skript says with a request to `/stored/<worker>/<page>` that it has
 * stored the row of a page. The site can hold back the answers to these, so that a test can kill a run between the row and the end of its request.
 */
export class LinkedSite {
  /** How often each page was fetched. */
  readonly fetched = new Map<string, number>();
  readonly #held: { worker: string; answer: () => void }[] = [];
  #isHolding = false;

  private constructor(
    readonly url: string,
    readonly pages: number,
    private readonly server: Server,
  ) {}

  /** @param answerMs time until the site answers a request for a page */
  static async start(pages: number, answerMs = 0): Promise<LinkedSite> {
    const server = createServer((request, response) => {
      const path = request.url as string;
      const answer = () => response.setHeader('content-type', 'text/html').end(site.#bodyOf(path));
      const [, kind, worker = ''] = path.split('/');
      if (kind !== 'stored') {
        site.fetched.set(path, (site.fetched.get(path) ?? 0) + 1);
        if (answerMs > 0) setTimeout(answer, answerMs);
        else answer();
      } else if (site.#isHolding) site.#held.push({ worker, answer });
      else answer();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const site = new LinkedSite(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, pages, server);
    return site;
  }

  /** Number of rows for which a run on this worker waits for an answer. */
  heldFor(worker: string): number {
    return this.#held.filter(held => held.worker === worker).length;
  }

  hold(): void {
    this.#isHolding = true;
  }

  release(): void {
    this.#isHolding = false;
    for (const { answer } of this.#held.splice(0)) answer();
  }

  close(): void {
    this.server.close().closeAllConnections();
  }

  /** Each page links to five others, and back to the first one. */
  #bodyOf(path: string): string {
    const first = Number(path.slice(1)) * LINKS;
    const links = Array.from({ length: LINKS }, (_, n) => first + n + 1).filter(n => n < this.pages);
    return [0, ...links].map(n => `<a href="/${n}">page ${n}</a>`).join('\n');
  }
}
