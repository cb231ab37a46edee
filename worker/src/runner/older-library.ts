import type { EventEmitter } from 'node:events';
import type { OlderEcho } from '@trawl/echo/older-echo';
import type { Library } from './second-parameter.js';

/** The modules of the library that older skripts get as their second parameter. Reading a name loads its module. */
const MODULES = {
  chalk: 'chalk',
  cheerio: 'cheerio',
  fse: 'fs-extra',
  moment: 'moment',
  puppeteer: 'puppeteer',
  Echo: '@mikosoft/echo',
  FunctionFlow: '@mikosoft/functionflow',
};
/** Time that a person has for what `echo.listen` asks. */
const LISTEN_MS = 60_000;

const WARNING =
  'main.js takes its libraries from its second parameter, as older skripts do. Write instead: ' +
  "const { echo } = require('@trawl/echo'); const { eventEmitter } = global.trawl;";

interface Run {
  eventEmitter: EventEmitter;
  hasBrowser: boolean;
  /** Loads a module of the runtime. */
  load(name: string): unknown;
  warn(text: string): void;
}

/** Returns the library of a run. The first use of it echoes a warning. */
export function olderLibrary({ eventEmitter, hasBrowser, load, warn }: Run): Library {
  type Make = new (...args: unknown[]) => object;
  const makers: Record<string, () => unknown> = {
    eventEmitter: () => eventEmitter,
    echo: () => withInput(new (load(MODULES.Echo) as Make)(true, 0, eventEmitter, LISTEN_MS) as OlderEcho),
    ff: () => new (load(MODULES.FunctionFlow) as Make)({}, eventEmitter),
  };
  for (const [name, module] of Object.entries(MODULES)) makers[name] = () => load(module);
  const made = new Map<string, unknown>();
  return {
    names: Object.keys(makers),
    // Skripts copy their library. In an environment without a browser, reading `puppeteer` throws.
    isListed: name => hasBrowser || name !== 'puppeteer',
    read(name) {
      if (made.size === 0) warn(WARNING);
      if (!made.has(name)) made.set(name, makers[name]?.());
      return made.get(name);
    },
  };
}

/** Adds the calls by which skripts asked a person: `input` names what `listen` then waits for. */
function withInput(echo: OlderEcho): OlderEcho {
  let asked = '';
  return Object.assign(echo, {
    input: async (text: unknown) => {
      asked = String(text);
    },
    listen: () => echo.question(asked),
  });
}
