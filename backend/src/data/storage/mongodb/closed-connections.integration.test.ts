import type { Socket } from 'node:net';
import mongoose from 'mongoose';
import { until } from '../../../../test/until.js';
import { MONGO_OPTIONS } from './mongo-connection.service.js';

/** The parts of a client that lead to its sockets. */
interface Internals {
  topology: {
    s: {
      servers: Map<
        string,
        { pool: { checkedOut: Set<{ socket: Socket }> }; monitor: { connection: { socket: Socket } | null } }
      >;
    };
  };
}

it('a MongoDB connection that closes while a command begins fails the command, and the driver reconnects', async () => {
  const connection = await mongoose
    .createConnection(String(process.env.TRAWL_TEST_MONGODB_URI), { ...MONGO_OPTIONS, heartbeatFrequencyMS: 500 })
    .asPromise();
  try {
    const client = connection.getClient();
    const [server] = [...(client as unknown as Internals).topology.s.servers.values()];
    // The driver emits both events before it writes. A destroyed socket says that it is closed only later.
    client.once('connectionCheckedOut', () => {
      for (const { socket } of server?.pool.checkedOut ?? []) socket.destroy();
    });
    await expect(client.db('admin').command({ ping: 1 })).rejects.toThrow(/connection \d+ to .* closed/);

    const heartbeats: string[] = [];
    client.once('serverHeartbeatStarted', () => server?.monitor.connection?.socket.destroy());
    client.on('serverHeartbeatFailed', () => heartbeats.push('failed'));
    client.on('serverHeartbeatSucceeded', () => heartbeats.includes('failed') && heartbeats.push('succeeded'));
    await until(
      () => heartbeats.includes('succeeded'),
      hasConnected => hasConnected,
    );
    expect(await client.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
  } finally {
    await connection.close();
  }
});
