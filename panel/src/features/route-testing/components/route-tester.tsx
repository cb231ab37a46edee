import { PasswordInput, Skeleton } from '@mantine/core';
import { useRef, useState } from 'react';
import { OPENAPI_PATH, useOpenApi } from '../../../api/requests/get-openapi.js';
import { ErrorState } from '../../../components/feedback/states.js';
import { SearchSelect } from '../../../components/selects/search-select.js';
import type { Filled } from '../call.js';
import { type Operation, readOperations } from '../operations.js';
import { CallForm } from './call-form.js';

const DEFAULT_OPERATION = 'listSkripts';

/** Options of the route select, grouped by tag. */
function choicesOf(operations: Operation[]) {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  return tags.map(group => ({
    group,
    items: operations
      .filter(({ tag }) => tag === group)
      .map(({ id, method, path, summary }) => ({ value: id, label: `${method} ${path} – ${summary}` })),
  }));
}

interface RouteTesterProps {
  /** An operationId, or ''. */
  operationId: string;
  onOperation: (operationId: string) => void;
}

/** Lets the user call any route of the OpenAPI document. */
export function RouteTester({ operationId, onOperation }: RouteTesterProps) {
  const operations = useOpenApi(readOperations);
  // Stays in memory: the panel stores no keys.
  const [apiKey, setApiKey] = useState('');
  /** The entries by the id of the route. */
  const filled = useRef(new Map<string, Filled>());
  if (operations.isError)
    return (
      <ErrorState
        what={`The list of routes, ${OPENAPI_PATH}, could not be loaded`}
        error={operations.error}
        onRetry={() => operations.refetch()}
      />
    );
  if (!operations.data) return <Skeleton height={420} radius={10} />;
  const operation =
    operations.data.find(({ id }) => id === operationId) ?? operations.data.find(({ id }) => id === DEFAULT_OPERATION);
  return (
    <div className="card route-tester">
      <SearchSelect
        label="Route"
        nothingFoundMessage="No matching route"
        maxDropdownHeight={420}
        choices={choicesOf(operations.data)}
        value={operation?.id ?? null}
        onChange={id => id && onOperation(id)}
        mb="sm"
      />
      <PasswordInput
        label="API key"
        description="Leave blank to call with your session. The panel forgets the key when you leave this page."
        placeholder="trk_…"
        autoComplete="off"
        spellCheck={false}
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the API key' }}
        value={apiKey}
        onChange={event => setApiKey(event.currentTarget.value)}
        mb="md"
      />
      {operation && (
        <CallForm
          key={operation.id}
          operation={operation}
          apiKey={apiKey.trim()}
          before={filled.current.get(operation.id)}
          onFilled={input => void filled.current.set(operation.id, input)}
        />
      )}
    </div>
  );
}
