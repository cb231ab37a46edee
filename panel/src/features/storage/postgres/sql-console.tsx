import { Alert, Button, Group, Skeleton, Switch, Text } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { Suspense, useEffect, useMemo, useState } from 'react';
import { Link } from 'react-router';
import { MessageText } from '../../../components/feedback/message-text.js';
import { notifySuccess } from '../../../components/feedback/notify.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { lazyScreen } from '../../../components/lazy-screen.js';
import { readSession } from '../../../session/session-cookies.js';
import { onSessionEnd } from '../../../session/session-end.js';
import { QueryResult } from './query-result.js';
import { failureText, positionOf, useCancelQuery, useRunQuery } from './run-query.js';
import { placeOf } from './sql-place.js';

const SqlEditor = lazyScreen(() => import('./sql-editor.js'));

const FIRST_STATEMENT = 'SELECT now()';

/** Key of the last statement. It has the account's name, so that the next account of this browser does not see it. */
const draftKey = (): string => `trawl-sql-${readSession(document.cookie)?.username ?? ''}`;

/** Keeps the statement in the browser tab. Tells the user when it is back after the session has ended. */
function useKeptStatement() {
  // The cookies are gone when the session has ended.
  const [key] = useState(draftKey);
  const [sql, setSql] = useState(() => sessionStorage.getItem(key) ?? FIRST_STATEMENT);
  const endedKey = `${key}-ended`;
  useEffect(() => sessionStorage.setItem(key, sql), [key, sql]);
  useEffect(() => {
    if (sessionStorage.getItem(endedKey) === null) return;
    notifySuccess('Your statement from before you signed in is back.');
    sessionStorage.removeItem(endedKey);
  }, [endedKey]);
  useEffect(
    () =>
      onSessionEnd(() => {
        if (sql !== FIRST_STATEMENT) sessionStorage.setItem(endedKey, '');
      }),
    [endedKey, sql],
  );
  return [sql, setSql] as const;
}

/** Executes SQL statements, one at a time. The statement stays in the browser tab, so leaving the page does not lose it. */
export function SqlConsole({ exportHref }: { exportHref: (sql: string) => string }) {
  const [sql, setSql] = useKeptStatement();
  const [mayChange, setMayChange] = useState(false);
  const [queryId, setQueryId] = useState('');
  const run = useRunQuery();
  const cancel = useCancelQuery();

  const start = () => {
    if (run.isPending || sql.trim() === '') return;
    const id = crypto.randomUUID();
    setQueryId(id);
    cancel.reset();
    run.mutate({ sql, queryId: id, readOnly: !mayChange });
  };
  const wasCancelled = run.isError && cancel.data?.cancelled === true;
  const position = wasCancelled ? null : positionOf(run.error);
  // A new object for each failure, because the editor moves to the place once for each.
  const problem = useMemo(
    () =>
      run.error && run.variables && !wasCancelled
        ? { message: failureText(run.error, run.variables), position: positionOf(run.error) }
        : null,
    [run.error, run.variables, wasCancelled],
  );
  const place = position !== null && run.variables ? placeOf(run.variables.sql, position) : null;
  return (
    <>
      <section className="sql-console card" aria-label="Statement">
        <div className="sql-text">
          <Suspense fallback={<Skeleton height="100%" />}>
            <SqlEditor value={sql} onChange={setSql} onRun={start} problem={problem} />
          </Suspense>
        </div>
        <Group className="sql-bar" gap="sm">
          <FocusableButton
            leftSection={<IconPlayerPlay size={16} aria-hidden />}
            disabled={run.isPending || sql.trim() === ''}
            onClick={start}
          >
            Run
          </FocusableButton>
          {run.isPending && (
            <Button
              variant="default"
              leftSection={<IconPlayerStop size={16} aria-hidden />}
              loading={cancel.isPending}
              onClick={() => cancel.mutate(queryId)}
            >
              Cancel
            </Button>
          )}
          <Switch
            label="Allow changes"
            checked={mayChange}
            onChange={event => setMayChange(event.currentTarget.checked)}
          />
          <Text size="xs" c="dimmed" role="status">
            {run.isPending
              ? 'Running… PostgreSQL has 30 s.'
              : mayChange
                ? 'The statement may change and delete data.'
                : 'Read-only: PostgreSQL refuses statements that change data.'}
          </Text>
          <Button className="bar-end" size="sm" variant="subtle" component={Link} to={exportHref(sql)}>
            Export its rows…
          </Button>
        </Group>
      </section>
      {wasCancelled ? (
        <Alert role="status" color="gray" variant="light" title="Cancelled">
          PostgreSQL stopped the statement. It changed nothing.
        </Alert>
      ) : (
        problem && (
          <Alert
            role="alert"
            color="red"
            variant="light"
            title={place ? `Error in line ${place.line}, column ${place.column}` : 'The statement failed'}
          >
            <MessageText of={problem.message} />
          </Alert>
        )
      )}
      {run.data && <QueryResult key={queryId} result={run.data} />}
    </>
  );
}
