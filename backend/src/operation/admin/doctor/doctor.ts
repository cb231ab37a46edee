import { openPlatform, type Platform } from '../settings.js';
import { note, print } from '../terminal.js';
import { bad, type Finding, ok } from './finding.js';
import { checkFolder } from './folder-checks.js';
import { checkObjects } from './object-checks.js';
import { checkPostgres, checkUserPostgres } from './postgres-checks.js';
import { checkMail, checkMongo, checkPort, checkRedis } from './service-checks.js';
import { checkWorkers } from './worker-checks.js';

const CHECKS = [
  checkPostgres,
  checkUserPostgres,
  checkMongo,
  checkRedis,
  checkObjects,
  checkMail,
  checkFolder,
  checkPort,
  checkWorkers,
];
const LABELS = { ok: 'ok  ', note: 'note', bad: 'BAD ' };

/** `trawl-admin doctor` prints a line for each finding. Returns 1 if something must be mended. */
export default async function doctor(): Promise<number> {
  const platform = await openPlatform().catch((error: Error) => error);
  if (platform instanceof Error) return show([bad(platform.message)]);
  try {
    return show([ok('The settings are valid.'), ...(await examine(platform))]);
  } finally {
    await platform.close();
  }
}

/** Makes all checks. One that fails itself does not keep the others from reporting. */
export async function examine(platform: Platform): Promise<Finding[]> {
  const work = CHECKS.map(check => check(platform).catch((error: Error) => [bad(`A check failed: ${error.message}`)]));
  return (await Promise.all(work)).flat();
}

function show(findings: Finding[]): number {
  for (const { state, text } of findings) print(`${LABELS[state]}  ${text.replaceAll('\n', '\n      ')}`);
  const count = findings.filter(({ state }) => state === 'bad').length;
  if (count === 0) return 0;
  note(count === 1 ? 'One thing must be mended.' : `${count} things must be mended.`);
  return 1;
}
