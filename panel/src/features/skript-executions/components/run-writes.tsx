import { Link } from 'react-router';
import type { Execution } from '../../../api/entities.js';
import { useDatabases } from '../../../api/requests/storage/list-databases.js';
import { ScrollFrame } from '../../../components/scroll/scroll-frame.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';

type Write = NonNullable<Execution['writes']>[number];

const COUNTS = ['inserted', 'updated', 'deleted'] as const;

interface RunWritesProps {
  execution: Execution;
  /** Path of a page of the section Storage. */
  storageHref: (rest: string) => string;
}

/** What a run has written, by collection and table. Shows nothing if it has written nothing. */
export function RunWrites({ execution, storageHref }: RunWritesProps) {
  const writes = execution.writes ?? [];
  const isMongo = writes.some(({ store, name }) => store === 'mongodb' && name !== null);
  // The oldest database is the one that a skript uses if it names none.
  const databases = useDatabases({ limit: 100, sort: 'created_at' }, { isWanted: isMongo }).data?.items ?? [];
  if (writes.length === 0) return null;

  const hrefOf = ({ store, database, name }: Write): string | null => {
    if (name === null) return null;
    if (store === 'postgresql') {
      // Without a dot, the schema is `public`. The name of a schema may have dots, too.
      const dot = name.lastIndexOf('.');
      const [schema, table] = dot < 0 ? ['public', name] : [name.slice(0, dot), name.slice(dot + 1)];
      return storageHref(`/tables/${encodeURIComponent(schema)}/${encodeURIComponent(table)}`);
    }
    const found = database === null ? databases[0] : databases.find(one => one.name === database);
    return found ? storageHref(`/${found.id}/${encodeURIComponent(name)}`) : null;
  };

  return (
    <section className="card run-writes" aria-labelledby="run-writes">
      <h2 id="run-writes">Written data</h2>
      <ScrollFrame>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Collection or table</th>
              {COUNTS.map(count => (
                <th key={count} scope="col" className="number">
                  {count}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {writes.map(write => {
              const href = hrefOf(write);
              const label = inReadingOrder(nameOf(write, execution.skript.id));
              return (
                <tr key={`${write.store} ${write.database} ${write.name}`}>
                  <th scope="row">
                    {href ? (
                      <Link className="link" to={href}>
                        {label}
                      </Link>
                    ) : (
                      label
                    )}
                    <span className="cell-sub">{placeOf(write)}</span>
                  </th>
                  {COUNTS.map(count => (
                    <td key={count} className="number tabular">
                      {write[count].toLocaleString('en-GB')}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </ScrollFrame>
    </section>
  );
}

function nameOf({ store, name }: Write, skriptId: string): string {
  if (name === null) return store === 'mongodb' ? 'Further collections' : 'Statements of postgres.query';
  if (store === 'mongodb' && name === `dataset_${skriptId}`) return 'Dataset';
  if (store === 'mongodb' && name === `kv_${skriptId}`) return 'Key-value store';
  return name;
}

function placeOf({ store, database, name }: Write): string {
  if (store === 'postgresql') return name === null ? 'PostgreSQL, tables not known' : 'PostgreSQL';
  return database === null ? 'MongoDB' : `MongoDB, ${inReadingOrder(database)}`;
}
