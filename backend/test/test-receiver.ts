import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { until } from './until.js';

export interface ReceivedDelivery {
  id: string;
  headers: IncomingHttpHeaders;
  text: string;
  body: { type: string; timestamp: string; data: any };
}

/** A real HTTP server on this machine that receives webhooks. */
export interface TestReceiver {
  url: string;
  received: ReceivedDelivery[];
  /** Waits until so many deliveries have arrived, and returns them. */
  came: (count: number) => Promise<ReceivedDelivery[]>;
  /** How it answers; by default with 204. */
  answer: RequestListener;
  close: () => void;
}

export async function startReceiver(): Promise<TestReceiver> {
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const { headers } = request;
    receiver.received.push({ id: String(headers['webhook-id']), headers, text, body: JSON.parse(text) });
    receiver.answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: TestReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    came: count =>
      until(
        () => receiver.received,
        received => received.length >= count,
      ),
    answer: (_request, response) => void response.writeHead(204).end(),
    close: () => server.close().closeAllConnections(),
  };
  return receiver;
}

/** Whether the standard library accepts the signature of a delivery. */
export function isSignedBy(secret: string, { text, headers }: Pick<ReceivedDelivery, 'text' | 'headers'>): boolean {
  try {
    new Webhook(secret).verify(text, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
