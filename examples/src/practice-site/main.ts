import { startPracticeSite } from './practice-site.js';
import { isLayout, type Layout } from './routes/layouts.js';

function portFrom(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new Error(`PORT must be a number from 0 to 65535; it is "${text}"`);
  return port;
}

function layoutFrom(text: string): Layout {
  if (!isLayout(text)) throw new Error(`LAYOUT must be 1 or 2; it is "${text}"`);
  return text;
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return `${error.message}. Another program uses this port; set PORT to a free one`;
  return error.message;
}

async function main(): Promise<void> {
  const host = process.env.HOST || '127.0.0.1';
  const port = portFrom(process.env.PORT || '3001');
  const site = await startPracticeSite({ host, port, layout: layoutFrom(process.env.LAYOUT || '1') });
  console.log(`practice site ready at ${site.url}`);

  const stop = (): void => {
    site.close().then(
      () => process.exit(0),
      error => fail(error),
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  // The supervisor keeps our standard input open. When the supervisor dies, the input ends, and this process exits.
  if (process.env.TRAWL_SUPERVISED === '1') process.stdin.once('end', stop).once('error', stop).resume();
}

function fail(error: unknown): void {
  console.error(`practice site: ${explain(error)}`);
  process.exit(1);
}

main().catch(fail);
