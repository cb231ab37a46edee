import type { Socket } from 'node:net';
import type { Clusters } from './clusters.js';
import { MECHANISM, ScramServer, type ScramVerifier } from './scram-server.js';
import { errorMessage, int16, int32, MessageReader, message } from './wire.js';

/** Parameter by which the backend knows that each account has a server of its own. */
export const PARAMETER = 'trawl_user_postgres';
const MAX_MESSAGE_BYTES = 16 * 1024;
const LOGIN_MS = 10_000;
const READY = message('Z', 'I');
const TEXT_TYPE = 25;

export interface ControlOptions {
  clusters: Clusters;
  verifier: ScramVerifier;
  /** Version of PostgreSQL. */
  version: string;
}

/**
 * Serves one connection of the superuser to the database `trawl`, which is no database: its statements are the commands
 * `create NAME`, `drop NAME` and `list`. Each answers with rows of one column of text.
 */
export function serveControl(client: Socket, first: Buffer, { clusters, verifier, version }: ControlOptions): void {
  const reader = new MessageReader(MAX_MESSAGE_BYTES);
  const scram = new ScramServer(verifier);
  let step: 'mechanism' | 'proof' | 'commands' = 'mechanism';
  /** True after an error, until the client sends Sync. */
  let isSkipping = false;
  const deadline = setTimeout(() => client.destroy(), LOGIN_MS);
  client.on('close', () => clearTimeout(deadline));

  const end = (sqlState: string, text: string): void => void client.end(errorMessage('FATAL', sqlState, text));
  const wrongPassword = () => end('28P01', 'password authentication failed for user "trawl"');

  const logIn = (body: Buffer): void => {
    if (step === 'mechanism') {
      const nul = body.indexOf(0);
      const answer =
        body.toString('utf8', 0, nul) === MECHANISM &&
        body.length >= nul + 5 &&
        scram.begin(body.toString('utf8', nul + 5));
      step = 'proof';
      if (answer) client.write(message('R', int32(11), answer));
      else wrongPassword();
      return;
    }
    const answer = scram.finish(body.toString('utf8'));
    if (!answer) {
      wrongPassword();
      return;
    }
    step = 'commands';
    clearTimeout(deadline);
    const parameters = Object.entries({
      server_version: version.split('.').slice(0, 2).join('.'),
      client_encoding: 'UTF8',
      standard_conforming_strings: 'on',
      [PARAMETER]: '1',
    }).map(([name, value]) => message('S', `${name}\0${value}\0`));
    client.write(
      Buffer.concat([
        message('R', int32(12), answer),
        message('R', int32(0)),
        ...parameters,
        message('K', int32(0), int32(0)),
        READY,
      ]),
    );
  };

  const execute = async (text: string): Promise<string[]> => {
    const [, command, name = ''] = /^\s*([a-z]+)(?:\s+(u_[0-9a-f]{32}))?\s*;?\s*$/i.exec(text) ?? [];
    switch (command) {
      case 'create':
        if (name) await clusters.create(name);
        break;
      case 'drop':
        if (name) await clusters.drop(name);
        break;
      case 'list':
        return clusters.names();
      default:
        throw new Error('This is no database. Connect to the database of an account.');
    }
    if (!name) throw new Error(`The command ${command} needs the name of an account's database.`);
    return [];
  };

  const answer = async (text: string): Promise<void> => {
    try {
      const rows = await execute(text);
      const row = (value: string) => message('D', int16(1), int32(Buffer.byteLength(value)), value);
      const column = message(
        'T',
        int16(1),
        'name\0',
        int32(0),
        int16(0),
        int32(TEXT_TYPE),
        int16(-1),
        int32(-1),
        int16(0),
      );
      client.write(Buffer.concat([column, ...rows.map(row), message('C', `SELECT ${rows.length}\0`), READY]));
    } catch (error) {
      client.write(Buffer.concat([errorMessage('ERROR', 'XX000', (error as Error).message), READY]));
    }
  };

  const receive = async (chunk: Buffer): Promise<void> => {
    for (const { type, body } of reader.push(chunk)) {
      if (step !== 'commands') {
        if (type !== 'p') return end('08P01', 'expected a password');
        logIn(body);
        if (client.writableEnded) return;
      } else if (type === 'Q') {
        await answer(body.toString('utf8', 0, body.length - 1));
      } else if (type === 'X') {
        client.end();
      } else if (type === 'S') {
        isSkipping = false;
        client.write(READY);
      } else if (!isSkipping) {
        isSkipping = true;
        client.write(errorMessage('ERROR', '0A000', 'This is no database. It accepts simple queries only.'));
      }
    }
  };

  /** Messages are served one after the other. */
  let last = Promise.resolve();
  client.on('data', (chunk: Buffer) => {
    client.pause();
    last = last
      .then(() => receive(chunk))
      .then(
        () => void client.resume(),
        () => void client.destroy(),
      );
  });
  client.write(message('R', int32(10), `${MECHANISM}\0\0`));
  if (first.length > 0) client.unshift(first);
  client.resume();
}
