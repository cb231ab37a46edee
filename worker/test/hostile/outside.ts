import { randomUUID } from 'node:crypto';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';

const FILES = { 'secret.txt': 0o644, 'private.txt': 0o600 };

/** Files and servers on the machine that no run may read, change or reach. */
export class Outside {
  /**
   * A text that runs must never get. It is in these files, in the answers of these servers, and in the worker's
   * environment.
   */
  readonly secret = `canary-${randomUUID()}`;
  readonly abstractSocket = `trawl-test-${randomUUID()}`;
  /** Names of the servers that a run has reached. */
  readonly reached: string[] = [];
  folder = '';
  readonly #servers: Server[] = [];
  #udp: UdpSocket | undefined;

  async open(): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'trawl-outside-'));
    await chmod(this.folder, 0o755);
    for (const [name, mode] of Object.entries(FILES)) {
      await writeFile(join(this.folder, name), this.secret);
      await chmod(join(this.folder, name), mode);
    }
    const tcp = await this.#listen('tcp', server => server.listen(0));
    await this.#listen('abstract socket', server => server.listen(`\0${this.abstractSocket}`));
    await this.#listen('unix socket', server => server.listen(this.#socket));
    await chmod(this.#socket, 0o777);
    this.#udp = createSocket('udp6', () => this.reached.push('udp'));
    this.#udp.bind((tcp.address() as AddressInfo).port);
    await once(this.#udp, 'listening');
  }

  /** Tells the hostile skripts where all these files and servers are. */
  get map(): Record<string, unknown> {
    const addresses = Object.values(networkInterfaces()).flat();
    const databases = [process.env.TRAWL_TEST_POSTGRES_URL, process.env.TRAWL_TEST_MONGODB_URI];
    return {
      folder: this.folder,
      socket: this.#socket,
      abstract_socket: this.abstractSocket,
      port: this.#udp?.address().port,
      addresses: addresses.flatMap(one =>
        one && !one.internal && !one.address.startsWith('fe80') ? [one.address] : [],
      ),
      databases: databases.flatMap(url => (url ? [Number(new URL(url).port)] : [])),
    };
  }

  async expectUntouched(): Promise<void> {
    // Empty the list, so that a server that was reached does not count again for the next skript.
    expect(this.reached.splice(0)).toEqual([]);
    expect((await readdir(this.folder)).sort()).toEqual([...Object.keys(FILES), 'socket'].sort());
    for (const name of Object.keys(FILES)) expect(await readFile(join(this.folder, name), 'utf8')).toBe(this.secret);
  }

  async close(): Promise<void> {
    for (const server of this.#servers) server.close();
    this.#udp?.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  get #socket(): string {
    return join(this.folder, 'socket');
  }

  async #listen(name: string, listen: (server: Server) => void): Promise<Server> {
    const server = createServer(connection => {
      this.reached.push(name);
      connection.on('error', () => {}).end(this.secret);
    });
    listen(server);
    await once(server, 'listening');
    this.#servers.push(server);
    return server;
  }
}
