import { Link } from 'react-router';
import { useDatabases } from '../../../api/requests/storage/list-databases.js';

const SHOWN = 100;

/** The databases that administrators share; nothing if there are none. */
export function SharedDatabases() {
  const items = useDatabases({ shared: true, limit: SHOWN, sort: 'name' }).data?.items ?? [];
  const others = items.filter(database => database.read_only);
  if (others.length === 0) return null;
  return (
    <section className="card shared-databases" aria-labelledby="shared-databases">
      <h2 id="shared-databases">Shared databases</h2>
      <p className="tab-note">
        You and your runs can read them, but not change them. If you have a database of the same name, your runs read
        yours.
      </p>
      <ul>
        {others.map(({ id, name }) => (
          <li key={id}>
            <Link className="cell-title" to={id}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
