import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Credential, Echo, Role } from '@trawl/contracts';
import { until } from './until.js';

export interface Answer {
  status: number;
  body: any;
}
export type Api = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

const START = '/joint-api/execute-skript/single-worker/start';
const FINAL_ACTIONS = ['end', 'error', 'stop'];

/** Calls the API of a running platform as its administrator and as one developer. */
export class PlatformClient {
  /** `http://127.0.0.1:port`. */
  url = '';
  /** The backend's data folder. */
  dataDir = '';
  /** Id of the worker that runs this test's skripts. */
  workerId = '';
  readonly #tokens = new Map<Role, string>();
  /**
   * The backend limits the logins per client address. A backend that trusts loopback as a proxy uses this random
   * address, so it counts each PlatformClient separately.
   */
  readonly #forwardedFor = `10.${[0, 0, 0].map(() => Math.floor(Math.random() * 256)).join('.')}`;

  credential(role: Role): Credential {
    const credentials = JSON.parse(readFileSync(join(this.dataDir, 'credentials.json'), 'utf8')) as Credential[];
    return credentials.find(credential => credential.role === role) as Credential;
  }

  /** Returns a function that calls the API in this role, with one session per role. */
  async as(role: Role): Promise<Api> {
    const token = this.#tokens.get(role) ?? (await this.signIn(role));
    this.#tokens.set(role, token);
    return (method, path, body, headers) => this.#call(method, path, body, token, headers);
  }

  /** Opens new sessions from now on, for tests that end the present ones. */
  forgetSessions(): void {
    this.#tokens.clear();
  }

  /** Opens a session; returns its token. */
  async signIn(role: Role): Promise<string> {
    const { username, password } = this.credential(role);
    const { status, body } = await this.#call('POST', '/panel/login', { username, password }, undefined, {
      'x-forwarded-for': this.#forwardedFor,
    });
    if (status !== 200) throw new Error(`${username} could not sign in: ${JSON.stringify(body)}`);
    return body.jwtToken;
  }

  /** Creates a skript with these files; returns its id. */
  async skript(title: string, files: Record<string, string>, settings: object = {}): Promise<string> {
    const developer = await this.as('developer');
    const { body } = await developer('POST', '/joint-api/skripts/addnew', { title, ...settings });
    for (const [name, content] of Object.entries(files)) {
      await developer('POST', '/joint-api/skript-files/addnew', { skript_id: body.id, name, content });
    }
    return body.id;
  }

  /** Starts a run without waiting for its end; returns its id. */
  async begin(skriptId: string, input?: unknown): Promise<string> {
    const answer = await this.startRun(skriptId, input, 0);
    if (answer.status !== 202) throw new Error(`The platform did not accept the run: ${JSON.stringify(answer)}`);
    return answer.body.id;
  }

  /** Starts a run, waits for its end (at most `waitMs`), and returns the response of the API. */
  async startRun(skriptId: string, input?: unknown, waitMs?: number): Promise<Answer> {
    const developer = await this.as('developer');
    const query = waitMs === undefined ? '' : `?wait_ms=${waitMs}`;
    return developer('POST', START + query, { worker_id: this.workerId, skript_id: skriptId, input });
  }

  async execution(id: string): Promise<any> {
    return (await (await this.as('developer'))('GET', `/joint-api/skript-execution/${id}`)).body;
  }

  /** Waits until a run has ended. Returns its execution as the API shows it. */
  async ended(id: string, withinMs?: number): Promise<any> {
    return until(
      async () => {
        // Ignore errors and try again, because some tests kill the backend and start it again.
        const execution = await this.execution(id).catch(() => null);
        return execution && FINAL_ACTIONS.includes(execution.action) ? execution : null;
      },
      `run ${id} to end`,
      withinMs,
    );
  }

  /** Returns all saved echoes of a run, page by page. */
  async echoes(id: string): Promise<Echo[]> {
    const developer = await this.as('developer');
    const echoes: Echo[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const { body }: Answer = await developer('GET', `/joint-api/echoes/${id}/list?limit=1000&after_seq=${after}`);
      echoes.push(...body.items);
      after = body.next_after_seq;
    }
    return echoes;
  }

  /** Returns all documents of one of the developer's collections. */
  async documents(collection: string): Promise<any[]> {
    const developer = await this.as('developer');
    const databases = await developer('GET', '/joint-api/mongo-databases/list');
    const documents: any[] = [];
    const list = `/joint-api/mongo/${databases.body.items[0].id}/${collection}/list?limit=1000`;
    for (let path: string | null = list; path !== null; ) {
      const { body } = await developer('GET', path);
      // The collection exists from its first document on.
      if (body.error_code === 'not_found') return documents;
      documents.push(...body.items);
      path = body.next === undefined ? null : `${list}&after=${encodeURIComponent(body.next)}`;
    }
    return documents;
  }

  async #call(
    method: string,
    path: string,
    body?: unknown,
    token?: string,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...headers,
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  }
}
