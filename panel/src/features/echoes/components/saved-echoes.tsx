import { Group, Select } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconDownload } from '@tabler/icons-react';
import { ECHO_TYPES, type EchoType } from '@trawl/contracts';
import { useState } from 'react';
import { ErrorState } from '../../../components/feedback/states.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { SearchField } from '../../../components/list/search-field.js';
import { useDownloadEchoes } from '../api/download-echoes.js';
import { useEchoes } from '../api/list-echoes.js';
import { echoCount } from '../echo-count.js';
import { EchoConsole } from './echo-console.js';

const PAGE = 200;

/** Saved echoes of a run with paging, search and download. */
export function SavedEchoes({ executionId }: { executionId: string }) {
  const [type, setType] = useState<EchoType | null>(null);
  const [contains, setContains] = useState('');
  // The `after_seq` of every page from the first to the current one, for the way back.
  const [starts, setStarts] = useState<number[]>([0]);
  const query = useEchoes({
    execution_id: executionId,
    limit: PAGE,
    after_seq: starts.at(-1) || undefined,
    type: type ?? undefined,
    contains: contains || undefined,
  });
  const csv = useDownloadEchoes();
  const page = query.data;
  const isFiltered = type !== null || contains !== '';
  const next = page?.next_after_seq ?? null;

  return (
    <section className="card" aria-label="Saved echoes" aria-busy={query.isPending}>
      <div className="list-bar">
        <SearchField
          label="Search the text"
          value={contains}
          onChange={text => {
            setContains(text);
            setStarts([0]);
          }}
        />
        <Select
          w={132}
          size="sm"
          aria-label="Type of echo"
          placeholder="All types"
          clearable
          data={[...ECHO_TYPES]}
          value={type}
          onChange={value => {
            setType(value as EchoType | null);
            setStarts([0]);
          }}
        />
        <FocusableButton
          variant="default"
          ml="auto"
          leftSection={<IconDownload size={16} aria-hidden />}
          loading={csv.isPending}
          onClick={() => csv.mutate(executionId)}
        >
          Download CSV
        </FocusableButton>
      </div>
      {query.isError && !page ? (
        <ErrorState
          what="The saved echoes could not be loaded"
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      ) : (
        <EchoConsole
          key={starts.length}
          lines={(page?.items ?? []).map(echo => ({ kind: 'echo', echo }))}
          follow={false}
          emptyText={
            query.isPending
              ? 'Loading the saved echoes…'
              : isFiltered
                ? 'No matching echoes. Clear the search or the type filter.'
                : 'This run saved no echoes.'
          }
        />
      )}
      <div className="list-foot">
        <span className="tabular" aria-live="polite">
          {page ? echoCount({ shown: page.items.length, total: page.total, isFiltered }) : ' '}
        </span>
        <Group gap="xs">
          <FocusableButton
            size="xs"
            variant="default"
            leftSection={<IconChevronLeft size={14} aria-hidden />}
            disabled={starts.length === 1}
            onClick={() => setStarts(pages => pages.slice(0, -1))}
          >
            Earlier
          </FocusableButton>
          <FocusableButton
            size="xs"
            variant="default"
            rightSection={<IconChevronRight size={14} aria-hidden />}
            disabled={next === null}
            onClick={() => next !== null && setStarts(pages => [...pages, next])}
          >
            Later
          </FocusableButton>
        </Group>
      </div>
    </section>
  );
}
