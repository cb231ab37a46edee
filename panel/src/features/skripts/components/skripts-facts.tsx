import { Link } from 'react-router';
import { useDashboard } from '../../../api/requests/get-dashboard.js';
import { Fact } from '../../../components/page/fact.js';
import { usePanelPath } from '../../../session/panel-path.js';

/** Shows in one line how many skripts the account has, and what fails, is broken or runs. */
export function SkriptsFacts() {
  const path = usePanelPath();
  const data = useDashboard().data;
  const runs = data && data.runs.under_way + data.runs.waiting;
  const facts = [
    { name: 'Skripts', count: data?.skripts.total },
    { name: 'Open issues', count: data?.issues.total, to: path('skript-executions', '/issues'), tone: 'error' },
    {
      name: 'Broken rows',
      count: data?.broken_rows.total,
      to: path('skript-executions', '?verdict=broken'),
      tone: 'error',
    },
    { name: 'Running', count: runs, to: path('skript-executions', '?action=start'), tone: 'live' },
  ];
  return (
    <dl className="facts-line">
      {facts.map(({ name, count, to, tone }) =>
        count === undefined ? null : (
          <Fact key={name} name={name} className="tabular">
            {to && count > 0 ? (
              <Link className={`fact tone-${tone}`} to={to}>
                {count.toLocaleString('en-GB')}
              </Link>
            ) : (
              count.toLocaleString('en-GB')
            )}
          </Fact>
        ),
      )}
    </dl>
  );
}
