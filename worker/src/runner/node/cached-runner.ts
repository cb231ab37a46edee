/**
 * The program that a run's process executes: loads the runner, `../main.ts`, with its code cache. The cache has all
 * functions of the runner, so V8 compiles none of them when the process starts or when its first run begins.
 */
import './code-cache.js';
import { join } from 'node:path';
import { loadCached } from './cached-library.js';

const file = join(__dirname, 'runner.code.cjs');
loadCached(file, file);
