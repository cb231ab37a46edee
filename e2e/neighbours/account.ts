import { randomBytes } from 'node:crypto';
import type { Answer, Api } from '../harness/platform-client.js';

const START = '/joint-api/execute-skript/single-worker/start';

/** An ordinary account of a platform, with all limits. Its calls come from an address of its own. */
export class Account {
  #skripts = 0;

  private constructor(
    readonly id: string,
    readonly url: string,
    /** The client address that a backend sees which trusts loopback as a proxy. */
    readonly address: string,
    /** Id of the worker that runs this account's skripts. */
    readonly workerId: string,
    private readonly token: string,
  ) {}

  static async open(url: string, workerId: string, admin: Api, quotas: Record<string, number> = {}): Promise<Account> {
    const [username, password] = [`${randomBytes(6).toString('hex')}@example.com`, randomBytes(12).toString('hex')];
    const user = await admin('POST', '/joint-api/users/addnew', { username, password, role: 'developer', quotas });
    if (user.status !== 201) throw new Error(`The account was not created: ${JSON.stringify(user.body)}`);
    const address = `10.${[...randomBytes(3)].join('.')}`;
    const login = await send(url, address, '', 'POST', '/panel/login', { username, password });
    if (login.status !== 200) throw new Error(`${username} could not sign in: ${JSON.stringify(login.body)}`);
    return new Account(user.body.id, url, address, workerId, login.body.jwtToken);
  }

  /** Calls the API and returns any answer. */
  call(method: string, path: string, body?: unknown): Promise<Answer> {
    return send(this.url, this.address, this.token, method, path, body);
  }

  /** Calls the API. @throws Error if the answer is an error */
  async get(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await this.call(method, path, body);
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Creates an empty skript, whose title begins with `title`; returns its id. */
  async newSkript(title: string, settings: object = {}): Promise<string> {
    this.#skripts += 1;
    const { id } = await this.get('POST', '/joint-api/skripts/addnew', {
      title: `${title} ${this.#skripts}`,
      ...settings,
    });
    return id;
  }

  /** Creates a skript with one file and builds it; returns the ids of both. */
  async skript(title: string, content: string, settings: object = {}): Promise<{ id: string; fileId: string }> {
    const id = await this.newSkript(title, settings);
    const file = { skript_id: id, name: 'main.js', content };
    const { id: fileId } = await this.get('POST', '/joint-api/skript-files/addnew', file);
    await this.get('POST', `/joint-api/skripts/${id}/bundle`);
    return { id, fileId };
  }

  /** Starts a run and waits for its end, for at most `waitMs`. */
  start(skriptId: string, input?: unknown, waitMs = 180_000): Promise<Answer> {
    return this.call('POST', `${START}?wait_ms=${waitMs}`, { worker_id: this.workerId, skript_id: skriptId, input });
  }
}

async function send(
  url: string,
  address: string,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: {
      'x-forwarded-for': address,
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}
