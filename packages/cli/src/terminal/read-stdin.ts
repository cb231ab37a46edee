import { text } from 'node:stream/consumers';

/** Reads all of stdin. */
export const readStdin = (): Promise<string> => text(process.stdin);
