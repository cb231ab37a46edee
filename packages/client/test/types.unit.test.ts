// The compiler checks this file in `npm run types`: each `@ts-expect-error` fails if its line compiles.
import { type Echo, type Execution, type Run, Trawl, unwrap } from '../src/index.js';

/** Compiles if both types are the same. */
function same<A, B>(..._: (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? [] : [never]): void {}

const trawl = new Trawl({ url: 'http://trawl.test', key: 'trk_1' });

test('the client types outputs and rows as the caller says, and as unknown otherwise', () => {
  const uses = [
    async () => {
      const run = trawl.run<string[]>('Books');
      same<typeof run, Run<string[]>>();
      const titles = await run.output();
      same<typeof titles, string[]>();
      const any = await trawl.call('Books');
      same<typeof any, unknown>();
      // @ts-expect-error the type of the output is unknown
      any.length;
    },
    async () => {
      const execution = await trawl.run('Books').wait();
      same<typeof execution, Execution>();
      // @ts-expect-error there is no such action
      execution.action === 'running';
      for await (const echo of trawl.logs('id')) same<typeof echo, Echo>();
    },
    async () => {
      for await (const book of trawl.rows<{ title: string }>('books')) same<typeof book, { title: string }>();
      for await (const row of trawl.rows('books')) same<typeof row, Record<string, unknown>>();
    },
  ];
  expect(uses).toHaveLength(3);
});

test('the client types its operations as openapi.yaml describes them', () => {
  const uses = [
    async () => {
      const { items } = await unwrap(trawl.api.GET('/joint-api/skripts/list', { params: { query: { limit: 5 } } }));
      same<(typeof items)[number]['title'], string | undefined>();
    },
    // @ts-expect-error there is no such operation
    () => trawl.api.GET('/joint-api/skript/list'),
    // @ts-expect-error the limit is a number
    () => trawl.api.GET('/joint-api/skripts/list', { params: { query: { limit: '5' } } }),
    // @ts-expect-error a database has a name
    () => trawl.api.POST('/joint-api/mongo-databases/addnew', { body: {} }),
    // @ts-expect-error a client needs a key
    () => new Trawl({ url: 'http://trawl.test' }),
    // @ts-expect-error the filter is an object
    () => trawl.rows('books', { filter: '{}' }),
  ];
  expect(uses).toHaveLength(6);
});
