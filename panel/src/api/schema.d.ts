// Stand-in until openapi.yaml exists; `npm run generate -w @trawl/panel` replaces it.
type Json<T> = { headers: Record<string, unknown>; content: { 'application/json': T } };
type Op<P, B, R> = {
  parameters: P & { header?: never; cookie?: never };
  responses: { 200: Json<R>; 400: Json<components['schemas']['ApiError']> };
} & ([B] extends [undefined] ? { requestBody?: never } : { requestBody: { content: { 'application/json': B } } });
type Q<T> = { query?: T; path?: never };
type Id<K extends string, T = never> = { query?: T; path: { [k in K]: string } };
type Page = { limit?: number; skip?: number; sort?: string; select?: string };
type List<T> = { total: number; total_capped?: boolean; limit: number; skip: number; items: T[] };
type Deleted = { deleted: Record<string, number> };
type S = components['schemas'];
type Only<M extends string, O> = { [k in M]: O } & { parameters: { query?: never; header?: never; path?: never; cookie?: never } };
type OfSkript = Page & { skript_id?: string; name_contains?: string };
type RunQuery = { worker_id?: string; skript_id?: string; input_id?: string; inputSecret_id?: string };

export interface paths {
  '/panel/login': Only<'post', Op<Q<never>, { username: string; password: string }, S['LoginAnswer']>>;
  '/panel/logout': Only<'post', Op<Q<never>, undefined, { message: string }>>;
  '/joint-api/account': Only<'get', Op<Q<never>, undefined, S['Account']>>;
  '/apps/workers/list': Only<'get', Op<Q<Page & { public?: boolean }>, undefined, List<S['Worker']>>>;
  '/joint-api/skripts/list': Only<
    'get',
    Op<Q<Page & { title_contains?: string; category?: string }>, undefined, List<S['Skript']>>
  >;
  '/joint-api/skripts/addnew': Only<'post', Op<Q<never>, S['SkriptBody'], S['Skript']>>;
  '/joint-api/skripts/{skript_id}': Only<'get', Op<Id<'skript_id'>, undefined, S['Skript']>> &
    Only<'put', Op<Id<'skript_id'>, Partial<S['SkriptBody']>, S['Skript']>> &
    Only<'delete', Op<Id<'skript_id'>, undefined, Deleted>>;
  '/joint-api/skripts/{skript_id}/bundle': Only<'post', Op<Id<'skript_id'>, undefined, S['BundleAnswer']>>;
  '/joint-api/skript-files/list': Only<'get', Op<Q<OfSkript>, undefined, List<Omit<S['SkriptFile'], 'content'>>>>;
  '/joint-api/skript-files/addnew': Only<
    'post',
    Op<Q<never>, { skript_id: string; name: string; content: string }, S['SkriptFile']>
  >;
  '/joint-api/skript-files/{skriptFile_id}': Only<'get', Op<Id<'skriptFile_id'>, undefined, S['SkriptFile']>> &
    Only<'put', Op<Id<'skriptFile_id'>, { name?: string; content?: string }, S['SkriptFile']>> &
    Only<'delete', Op<Id<'skriptFile_id'>, undefined, Deleted>>;
  '/joint-api/inputs/list': Only<'get', Op<Q<OfSkript>, undefined, List<S['Input']>>>;
  '/joint-api/inputs/addnew': Only<'post', Op<Q<never>, { skript_id: string; name: string; val: unknown }, S['Input']>>;
  '/joint-api/inputs/{input_id}': Only<'get', Op<Id<'input_id'>, undefined, S['Input']>> &
    Only<'put', Op<Id<'input_id'>, { name?: string; val?: unknown }, S['Input']>> &
    Only<'delete', Op<Id<'input_id'>, undefined, Deleted>>;
  '/joint-api/input-secrets/list': Only<'get', Op<Q<OfSkript>, undefined, List<S['InputSecret']>>>;
  '/joint-api/input-secrets/addnew': Only<
    'post',
    Op<Q<never>, { skript_id: string; name: string; val: unknown }, S['InputSecret']>
  >;
  '/joint-api/input-secrets/{inputSecret_id}': Only<'get', Op<Id<'inputSecret_id'>, undefined, S['InputSecret']>> &
    Only<'put', Op<Id<'inputSecret_id'>, { name?: string; val?: unknown }, S['InputSecret']>> &
    Only<'delete', Op<Id<'inputSecret_id'>, undefined, Deleted>>;
  '/joint-api/execute-skript/single-worker/start': Only<
    'post',
    Op<
      Q<{ force?: boolean; wait_ms?: number }>,
      { worker_id: string; skript_id: string; input?: unknown; inputSecret?: unknown },
      S['Execution']
    >
  > &
    Only<'get', Op<Q<RunQuery & { force?: boolean; wait_ms?: number }>, undefined, S['Execution']>>;
  '/joint-api/execute-skript/single-worker/stop': Only<
    'get',
    Op<Q<RunQuery & { execution_id?: string }>, undefined, S['Execution'][]>
  >;
  '/joint-api/skript-execution/list': Only<
    'get',
    Op<Q<Page & { skript_id?: string; worker_id?: string; action?: S['Execution']['action'] }>, undefined, List<S['Execution']>>
  >;
  '/joint-api/skript-execution/{skriptExecution_id}': Only<
    'get',
    Op<Id<'skriptExecution_id'>, undefined, S['Execution']>
  > &
    Only<'delete', Op<Id<'skriptExecution_id'>, undefined, Deleted>>;
  '/joint-api/echoes/{execution_id}/list': Only<
    'get',
    Op<
      Id<'execution_id', { limit?: number; after_seq?: number; type?: S['Echo']['type']; contains?: string }>,
      undefined,
      { total: number; limit: number; items: S['Echo'][]; next_after_seq: number | null }
    >
  >;
  '/joint-api/mongo-databases/list': Only<'get', Op<Q<Page>, undefined, List<S['MongoDatabase']>>>;
  '/joint-api/mongo-collections/{db_id}/list': Only<
    'get',
    Op<Id<'db_id', Page>, undefined, List<S['MongoCollection']>>
  >;
  '/joint-api/mongo/{db_id}/{collection}/list': Only<
    'get',
    Op<Id<'db_id' | 'collection', Page>, undefined, List<Record<string, unknown>>>
  >;
}

export interface components {
  schemas: {
    ApiError: { error_message: string; error_code: string; details?: unknown; request_id: string };
    LoginAnswer: {
      jwtToken: string;
      loggedUser: { id: string; username: string; role: 'developer' | 'admin' };
      message: string;
    };
    Account: { id: string; username: string; role: 'developer' | 'admin'; created_at: string; updated_at: string };
    Worker: {
      id: string;
      name: string;
      public: boolean;
      ip_address: string | null;
      version: string | null;
      status: 'online' | 'draining' | 'restarting' | 'offline';
      sandbox: 'full' | 'reduced' | 'none' | null;
      environments: ('nodejs' | 'browser' | 'python')[];
      slots: number;
      free_slots: number;
      created_at: string;
      updated_at: string;
    };
    SkriptBody: {
      title: string;
      description?: string;
      thumbnail?: string;
      category?: string;
      environment?: 'nodejs' | 'browser' | 'python';
      worker_response_timeout?: number;
    };
    Skript: {
      id: string;
      title: string;
      description: string;
      thumbnail: string;
      category: string;
      environment: 'nodejs' | 'browser' | 'python';
      worker_response_timeout: number;
      howto: string;
      files: { id: string; name: string; size: number }[];
      stale: boolean;
      bundle_hash: string | null;
      created_at: string;
      updated_at: string;
    };
    BundleAnswer: { hash: string; size: number; warnings: unknown[]; lock: string | null };
    SkriptFile: {
      id: string;
      skript_id: string;
      name: string;
      content: string;
      size: number;
      created_at: string;
      updated_at: string;
    };
    Input: { id: string; skript_id: string; name: string; val: unknown; created_at: string; updated_at: string };
    InputSecret: {
      id: string;
      skript_id: string;
      name: string;
      has_val: boolean;
      created_at: string;
      updated_at: string;
    };
    Execution: {
      id: string;
      worker: { id: string; name: string } | null;
      skript: { id: string; category: string; name: string };
      input: { id: string; name: string } | null;
      inputSecret: { id: string; name: string } | null;
      action: 'start' | 'pause' | 'stop' | 'end' | 'error';
      waiting_for: {
        reason: 'worker_offline' | 'worker_full' | 'libraries_installing' | 'storage_down' | 'retry_scheduled';
        since: string;
      } | null;
      error_code: string | null;
      error_stack: string | null;
      output?: unknown;
      attempt: number;
      retry_of: string | null;
      last_seq: number;
      created_at: string;
      updated_at: string;
    };
    Echo: { type: 'log' | 'warn' | 'error' | 'objekt' | 'image'; msg: string; time: string; seq: number };
    MongoDatabase: { id: string; name: string; created_at: string; updated_at: string };
    MongoCollection: { name: string; count: number; size: number };
  };
}
