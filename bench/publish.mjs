// @ts-check
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { median } from './platform.mjs';

const GIB = 1024 ** 3;
const NODE_STARTS = 20;
/** Processes that wanted a core in the minute before the benchmark, whose own load does not count. */
const [loadBefore] = loadavg();

/**
 * Writes the figures of a page of the documentation, `website/content/<name>.json`.
 * @param {string} name
 * @param {Record<string, Record<string, string | number>[]>} tables rows by the name of their table
 */
export function publish(name, tables) {
  const [cpu] = cpus();
  const page = {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} cores (${cpu?.model.trim()}), ${Math.round(totalmem() / GIB)} GB, Node ${process.versions.node}`,
    load: Math.round(loadBefore ?? 0),
    nodeStartMs: nodeStartMs(),
    ...tables,
  };
  const file = fileURLToPath(new URL(`../website/content/${name}.json`, import.meta.url));
  writeFileSync(file, `${JSON.stringify(page, null, 2)}\n`);
  execFileSync('npx', ['biome', 'format', '--write', file], { stdio: 'ignore' });
}

/** Returns how long an empty program of Node.js takes, by which readers compare this machine with theirs. */
function nodeStartMs() {
  const times = Array.from({ length: NODE_STARTS }, () => {
    const start = performance.now();
    execFileSync(process.execPath, ['-e', '0']);
    return performance.now() - start;
  });
  return Math.round(median(times));
}
