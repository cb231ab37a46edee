import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PlatformFiles } from './platform-files.js';

const TEXT = 'module.exports = () => 1;';
const HASH = createHash('sha256').update(TEXT).digest('hex');
const never = new AbortController().signal;

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

test('a backend that does not answer costs one attempt, not the download', async () => {
  answers = [() => undefined, response => response.end(TEXT)];
  expect(await files.text('bundles', HASH, never)).toBe(TEXT);
});

test('a backend that is restarting is asked again', async () => {
  answers = [
    response => response.writeHead(503).end(),
    response => response.end('half'),
    response => response.end(TEXT),
  ];
  expect(await files.text('bundles', HASH, never)).toBe(TEXT);
});

test('a refusal is final and named', async () => {
  answers = [response => response.writeHead(404).end()];
  await expect(files.text('bundles', HASH, never)).rejects.toThrow(
    `The worker could not load bundles/${HASH} from the platform: it answered 404.`,
  );
});
