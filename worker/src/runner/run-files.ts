import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileBytes, type RunFile } from '@trawl/contracts';

/**
 * Writes the files of a skript that no import reaches into the run's folder. In a warm process, replaces what the
 * previous run has made of them.
 */
export function writeRunFiles(files: RunFile[], folder: string): void {
  for (const { name, content } of files) {
    const path = join(folder, name);
    rmSync(path, { recursive: true, force: true });
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, fileBytes(content));
  }
}
