import type { Account } from './account.js';

/** Also uses a queue with a name that an attacker uses. */
const MAIN = `const { echo } = require('@trawl/echo');
const { queue } = require('@trawl/storage');
module.exports = async ({ n }) => {
  const beganAt = Date.now();
  echo.log('run ' + n);
  const pages = queue('attack-0');
  await pages.add('https://shop.example/' + n);
  let done = 0;
  for await (const request of pages.take()) {
    await pages.done(request);
    done += 1;
  }
  return { n, beganAt, done };
};`;

/** An account that uses the platform while another account attacks it. */
export class Neighbour {
  /** Ids of the runs that have ended, and the number that each got as input. */
  readonly #runs = new Map<string, number>();
  #builds = 0;
  #queries = 0;

  private constructor(
    private readonly account: Account,
    private readonly skript: { id: string; fileId: string },
  ) {}

  static async open(account: Account): Promise<Neighbour> {
    const sql = 'CREATE TABLE queries (n int PRIMARY KEY)';
    await account.get('POST', '/joint-api/postgres/query', { sql, read_only: false });
    return new Neighbour(account, await account.skript('Neighbour', MAIN));
  }

  /** Calls the list of skripts. @throws Error if the answer is an error */
  async list(): Promise<void> {
    const { items } = await this.account.get('GET', '/joint-api/skripts/list');
    if (items.length !== 1) throw new Error(`The list has ${items.length} skripts instead of one.`);
  }

  /** Starts a run and waits for its end. Returns the time when its code began. @throws Error if the run fails */
  async run(): Promise<number> {
    const n = this.#runs.size + 1;
    const { status, body } = await this.account.start(this.skript.id, { n });
    if (body.action !== 'end' || body.output?.n !== n || body.output.done !== 1) {
      throw new Error(`The neighbour's run did not end as expected: ${status} ${JSON.stringify(body)}`);
    }
    this.#runs.set(body.id, n);
    return body.output.beganAt;
  }

  /** Changes the skript and builds it. @throws Error if the build fails */
  async build(): Promise<void> {
    this.#builds += 1;
    const content = `${MAIN}\n// Build ${this.#builds}\n`;
    await this.account.get('PUT', `/joint-api/skript-files/${this.skript.fileId}`, { content });
    await this.account.get('POST', `/joint-api/skripts/${this.skript.id}/bundle`);
  }

  /** Inserts a row into a table of the account's PostgreSQL database. @throws Error if a row is missing */
  async query(): Promise<void> {
    this.#queries += 1;
    const sql = 'WITH added AS (INSERT INTO queries VALUES ($1)) SELECT count(*) + 1 FROM queries';
    const body = { sql, params: [this.#queries], read_only: false };
    const { rows } = await this.account.get('POST', '/joint-api/postgres/query', body);
    if (Number(rows[0][0]) !== this.#queries)
      throw new Error(`${rows[0][0]} of ${this.#queries} rows are in the table.`);
  }

  /** Returns the runs of this account that the platform has, each with what it echoed; and those that it should have. */
  async records(): Promise<{ found: object[]; expected: object[] }> {
    const found: object[] = [];
    for (const id of this.#runs.keys()) {
      const { action, output } = await this.account.get('GET', `/joint-api/skript-execution/${id}`);
      const { items } = await this.account.get('GET', `/joint-api/echoes/${id}/list`);
      found.push({ action, n: output.n, echoes: items.map((echo: { msg: string }) => echo.msg) });
    }
    const expected = [...this.#runs.values()].map(n => ({ action: 'end', n, echoes: [`run ${n}`] }));
    return { found, expected };
  }
}
