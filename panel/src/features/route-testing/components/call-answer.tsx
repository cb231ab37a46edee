import { Button, Group } from '@mantine/core';
import { byteSize } from '../../../components/byte-size.js';
import { saveFile } from '../../../components/save-file.js';
import { Status } from '../../../components/status.js';
import type { CallAnswer as Answer } from '../api/send-call.js';
import { CodeToCopy } from './code-to-copy.js';

/** More than this in one element makes a browser slow. */
const MAX_SHOWN = 200_000;

const toneOf = (status: number) => (status < 300 ? 'ok' : status < 500 ? 'warn' : 'error');

/** What came back, as it came. */
export function CallAnswer({ answer, name }: { answer: Answer; name: string }) {
  const { status, statusText, tookMs, headers, text, bytes } = answer;
  return (
    <section className="call-answer" aria-label="Answer">
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
        <p className="tab-note">This is no text: save it as a file.</p>
      ) : (
        <CodeToCopy title="Body" code={text.slice(0, MAX_SHOWN)} />
      )}
      {text !== null && text.length > MAX_SHOWN && (
        <p className="tab-note">Only the first {byteSize(MAX_SHOWN)} are shown; the file has all of it.</p>
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
