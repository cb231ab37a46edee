import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RECORD_LIMITS } from '../../records/record-format.js';
import type { PausedRequest } from '../browser/request-interception.js';
import { NO_LENGTH, PageRecorder, PageReplay } from './page-requests.js';
import { RecordRedaction } from './record-redaction.js';
import { RecordedAnswers } from './recorded-answers.js';
import { Recorder } from './recorder.js';
import { Replay } from './replay.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'page-requests-'));
});
afterAll(() => rm(folder, { recursive: true }));

const paused = (path: string, fields: Partial<PausedRequest> = {}): PausedRequest => ({
  requestId: path,
  frameId: 'frame',
  request: { url: `http://site.test${path}`, method: 'GET', headers: {} },
  resourceType: 'Document',
  responseStatusCode: 200,
  ...fields,
});
const ofLength = (bytes: number) => ({ responseHeaders: [{ name: 'Content-Length', value: String(bytes) }] });

/** A browser that notes the commands that it gets. */
function fakeBrowser() {
  const commands: string[] = [];
  const send = async (method: string, params: object) => {
    commands.push(`${method} ${(params as { requestId: string }).requestId}`);
    return { body: 'text', base64Encoded: false } as never;
  };
  return { commands, send };
}

test('the body of an answer that is too large is not read, and a replay that needs it ends with the reason', async () => {
  const pieces: Buffer[] = [];
  const warnings: string[] = [];
  const recorder = new Recorder(
    null,
    bytes => pieces.push(bytes),
    text => warnings.push(text),
  );
  const { commands, send } = fakeBrowser();
  const pages = new PageRecorder(recorder);
  const tooLong = RECORD_LIMITS.bodyBytes + 1;
  await pages.paused(paused('/large', ofLength(tooLong)), send);
  const head = { url: 'http://site.test/head', method: 'HEAD', headers: {} };
  await pages.paused(paused('/head', { ...ofLength(tooLong), request: head }), send);
  await pages.paused(paused('/small', ofLength(4)), send);
  await recorder.finish();
  expect(commands).toEqual([
    'Fetch.continueRequest /large',
    'Fetch.continueRequest /head',
    'Fetch.getResponseBody /small',
    'Fetch.continueRequest /small',
  ]);
  expect(warnings).toEqual([expect.stringContaining('lacks GET http://site.test/large: its body has more than 16 MB')]);

  const path = join(folder, 'record');
  await writeFile(path, Buffer.concat(pieces));
  const missed: string[] = [];
  const events = { missed: (text: string) => missed.push(text), warn: (text: string) => warnings.push(text) };
  const answers = await RecordedAnswers.open(path);
  const replay = new PageReplay(new Replay(answers, new RecordRedaction(null), events));
  const replaying = fakeBrowser();
  for (const one of ['/large', '/small']) await replay.paused(paused(one), replaying.send);
  await answers['reader'].close();
  expect(replaying.commands).toEqual(['Fetch.failRequest /large', 'Fetch.fulfillRequest /small']);
  expect(missed).toEqual([
    'The record has no answer to GET http://site.test/large: the recorder left it out, because its body has more than 16 MB.',
  ]);
});

test('the body of a download without a length is not read, and that of a page is', async () => {
  const warnings: string[] = [];
  const recorder = new Recorder(
    null,
    () => {},
    text => warnings.push(text),
  );
  const { commands, send } = fakeBrowser();
  const pages = new PageRecorder(recorder);
  const typed = (path: string, type: string, disposition = '') =>
    paused(path, {
      responseHeaders: [
        { name: 'Content-Type', value: type },
        { name: 'Transfer-Encoding', value: 'chunked' },
        ...(disposition === '' ? [] : [{ name: 'Content-Disposition', value: disposition }]),
      ],
    });
  const read = ['text/html; charset=utf-8', 'application/ld+json', 'image/png', ''];
  for (const type of read) await pages.paused(typed(`/${type}`, type), send);
  const left = [typed('/video', 'video/mp4'), typed('/zip', 'application/octet-stream')];
  left.push(typed('/csv', 'text/csv', 'attachment; filename="all.csv"'));
  for (const each of left) await pages.paused(each, send);
  await recorder.finish();
  expect(commands.filter(command => command.startsWith('Fetch.getResponseBody'))).toEqual(
    read.map(type => `Fetch.getResponseBody /${type}`),
  );
  expect(commands.filter(command => command.startsWith('Fetch.continueRequest'))).toHaveLength(7);
  expect(warnings).toEqual(['video', 'zip', 'csv'].map(path => expect.stringContaining(`/${path}: ${NO_LENGTH}`)));
});
