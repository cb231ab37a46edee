import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { PlatformFiles } from './platform-files.js';
import { PlatformRecords } from './platform-records.js';

const TEXT = 'module.exports = () => 1;';
const HASH = createHash('sha256').update(TEXT).digest('hex');
const never = new AbortController().signal;
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

let server: Server;
/** Answers to the requests; the last one repeats. */
let answers: ((response: ServerResponse) => unknown)[];
let files: PlatformFiles;

beforeEach(async () => {
  server = createServer((_request, response) => (answers.length > 1 ? answers.shift() : answers[0])?.(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  files = new PlatformFiles(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'trw_key', 1_000);
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

test('the worker retries the download of a bundle when the backend does not answer in time', async () => {
  answers = [() => undefined, response => response.end(TEXT)];
  expect(await files.text('bundles', HASH, never)).toBe(TEXT);
});

test('the worker retries the download of a bundle when a restarting backend answers 503 or sends half of it', async () => {
  answers = [
    response => response.writeHead(503).end(),
    response => response.end('half'),
    response => response.end(TEXT),
  ];
  expect(await files.text('bundles', HASH, never)).toBe(TEXT);
});

test('the worker does not retry the download of a bundle that is missing, and the error names bundle and status', async () => {
  answers = [response => response.writeHead(404).end()];
  await expect(files.text('bundles', HASH, never)).rejects.toThrow(
    `The worker could not load bundles/${HASH} from the platform: it answered 404.`,
  );
});

test('the upload and the download of a record end after their own time, with a reason', async () => {
  // Node 20 collects timeouts that nobody refers to.
  answers = [
    () => {
      for (const ms of [10, 30, 50]) setTimeout(collectGarbage, ms);
    },
  ];
  const records = new PlatformRecords(files, 100);
  await expect(records.save('run', __filename, { exchanges: 1, problem: null })).rejects.toThrow(
    'The request to the platform for records/run',
  );
  await expect(records.load('run', '/dev/null', never)).rejects.toThrow('The request to the platform for records/run');
});
