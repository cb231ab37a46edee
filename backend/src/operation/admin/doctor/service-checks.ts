import { once } from 'node:events';
import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { createTransport } from 'nodemailer';
import type { Platform } from '../settings.js';
import { bad, type Finding, info, ok } from './finding.js';

/** The oldest MongoDB that the driver speaks to. */
const OLDEST_MONGODB = 4.2;
const ANSWER_MS = 10_000;

export async function checkMongo({ config: { mongodbUri } }: Platform): Promise<Finding[]> {
  const client = new mongoose.mongo.MongoClient(mongodbUri, { serverSelectionTimeoutMS: ANSWER_MS });
  try {
    await client.connect();
    const { version } = (await client.db('admin').command({ buildInfo: 1 })) as { version: string };
    return Number.parseFloat(version) >= OLDEST_MONGODB
      ? [ok(`MongoDB is reachable and has version ${version}.`)]
      : [bad(`MongoDB has version ${version}. Update it to ${OLDEST_MONGODB} or later.`)];
  } catch (error) {
    return [
      bad(`MongoDB cannot be reached: ${(error as Error).message}. Check MONGODB_URI, and that the server runs.`),
    ];
  } finally {
    await client.close();
  }
}

export async function checkRedis({ config: { redisUrl } }: Platform): Promise<Finding[]> {
  if (redisUrl === undefined)
    return [info('Redis is not set, which is right for one backend. For several, set REDIS_URL.')];
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    connectTimeout: ANSWER_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason = '';
  redis.on('error', error => (reason = error.message));
  try {
    await redis.connect();
    await redis.ping();
    return [ok('Redis is reachable.')];
  } catch (error) {
    return [
      bad(`Redis cannot be reached: ${reason || (error as Error).message}. Check REDIS_URL, and that the server runs.`),
    ];
  } finally {
    redis.disconnect();
  }
}

export async function checkMail({ config: { smtpUrl, dataDir } }: Platform): Promise<Finding[]> {
  if (smtpUrl === undefined)
    return [info(`E-mails are written to files in ${dataDir}/mail. To send them, set SMTP_URL.`)];
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: ANSWER_MS,
    greetingTimeout: ANSWER_MS,
    socketTimeout: ANSWER_MS,
  });
  try {
    await transport.verify();
    return [ok('The mail server accepts the connection of SMTP_URL.')];
  } catch (error) {
    return [bad(`The mail server refuses or is unreachable: ${(error as Error).message}. Check SMTP_URL.`)];
  } finally {
    transport.close();
  }
}

/** Checks that the port is free, or that the backend has it. */
export async function checkPort({ config: { port, host } }: Platform): Promise<Finding[]> {
  if (port === 0) return [];
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const url = `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
  const health = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => null);
  const answer =
    health &&
    ((await health.json().catch(() => null)) as {
      status?: string;
      details?: { event_loop?: { reason?: string } };
    } | null);
  if (answer && typeof answer.status === 'string') {
    const reason = answer.details?.event_loop?.reason;
    return [
      health.ok
        ? ok(`The backend on port ${port} is ready.`)
        : bad(`The backend on port ${port} is not ready: see its log.`),
      ...(reason === undefined ? [] : [info(reason)]),
    ];
  }
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return [info(`No backend runs on port ${port}, which is free.`)];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return [bad(`Port ${port} cannot be used: ${code}. Stop the program that uses it, or set PORT to another one.`)];
  } finally {
    server.close();
  }
}
