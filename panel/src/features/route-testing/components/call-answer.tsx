import { Button, Group } from '@mantine/core';
import { byteSize } from '@trawl/contracts';
import { saveFile } from '../../../api/save-file.js';
import { CopyableCode } from '../../../components/values/copyable-code.js';
import { Status } from '../../../components/values/status.js';
import type { CallAnswer as Answer } from '../api/send-call.js';

/** Maximum number of characters shown. Browsers become slow with more text in one element. */
const MAX_SHOWN = 200_000;

const toneOf = (status: number) => (status < 300 ? 'ok' : status < 500 ? 'warn' : 'error');

/** Shows the response. */
export function CallAnswer({ answer, name }: { answer: Answer; name: string }) {
  const { status, statusText, tookMs, headers, text, bytes } = answer;
  return (
    <section className="call-answer" aria-label="Response">
      <Group justify="space-between" mb="sm">
        <Group gap="md" role="status">
          <Status tone={toneOf(status)} label={`${status} ${statusText}`.trim()} />
          <span className="tabular cell-sub">
            {Math.round(tookMs)} ms · {byteSize(bytes.size)}
          </span>
        </Group>
        <Button size="xs" variant="default" onClick={() => saveFile(bytes, name)}>
          Save as a file
        </Button>
      </Group>
      {text === null ? (
        <p className="tab-note">This is not text. Save it as a file.</p>
      ) : (
        <CopyableCode title="Body" code={text.slice(0, MAX_SHOWN)} />
      )}
      {text !== null && text.length > MAX_SHOWN && (
        <p className="tab-note">
          Only the first {byteSize(MAX_SHOWN)} are shown. Save the response as a file to get all of it.
        </p>
      )}
      <details className="call-headers">
        <summary>{headers.length} headers</summary>
        <dl>
          {headers.map(([header, value]) => (
            <div key={header}>
              <dt className="mono">{header}</dt>
              <dd className="mono">{value}</dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  );
}
