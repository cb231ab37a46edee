// @ts-check
/**
 * A browser-like environment for tests of panel components: the main context of the process, with the globals of a
 * jsdom window.
 *
 * As in `node-environment.cjs`, packages are loaded once per process. Some packages keep the window that existed when
 * they were loaded, so all test files of a process share one window. Whatever a file adds to the window is removed when
 * the file ends.
 */
const { createRequire } = require('node:module');
const NodeEnvironment = require('./node-environment.cjs');

const requireFromPanel = createRequire(require.resolve('../../panel/package.json'));
const { JSDOM } = requireFromPanel('jsdom');

/** Globals that are not replaced by those of jsdom, because test code and packages need Node's own. */
const NODES_OWN =
  /^(set|clear)(Timeout|Interval)$|^(queueMicrotask|console|performance|crypto|Headers|TextEncoder|TextDecoder)$/;

/** Replaces `window.matchMedia`: no media query ever matches. */
const matchMedia = (/** @type {string} */ query) => ({
  matches: false,
  media: query,
  addEventListener: () => {},
  removeEventListener: () => {},
});

/** Replaces `window.ResizeObserver`. It reports nothing, because no size ever changes. */
class ResizeObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

/**
 * Replaces the function of jsdom, which compares the element and all its parents with every rule of its default style
 * sheet. This took a fifth of the time of these tests. They load no style sheets, so only inline styles count.
 */
const getComputedStyle = (/** @type {{ style: object }} */ element) => element.style;

/** Replaces the function of jsdom, which would keep the process running. */
const requestAnimationFrame = (/** @type {(now: number) => void} */ callback) =>
  setTimeout(() => callback(performance.now()), 16);

/**
 * A Request that ignores its `signal`, because Node's Request throws an error for signals of jsdom. This does no harm,
 * because tests abort no requests.
 */
class RequestWithoutSignal extends Request {
  /**
   * @param {string | URL | Request} input
   * @param {RequestInit} [init]
   */
  constructor(input, init) {
    super(input, init && { ...init, signal: undefined });
  }
}

/** @type {any} */
let window;

/** Creates a jsdom window, with functions that jsdom lacks and that Mantine, React Router, CodeMirror and Testing Library need. */
function openWindow() {
  const { window: opened } = new JSDOM('<!doctype html>', { url: 'http://localhost/' });
  opened.Element.prototype.scrollIntoView = () => {};
  // CodeMirror measures its text with these. jsdom has no layout, so everything has the size 0.
  Object.assign(opened.Range.prototype, {
    getClientRects: () => [],
    getBoundingClientRect: () => new opened.DOMRect(),
  });
  return Object.assign(opened, {
    matchMedia,
    ResizeObserver,
    getComputedStyle,
    requestAnimationFrame,
    cancelAnimationFrame: clearTimeout,
    Request: RequestWithoutSignal,
  });
}

class PanelEnvironment extends NodeEnvironment {
  /** @type {Set<NodeJS.Timeout>} */
  #timers = new Set();

  /** @override */
  async setup() {
    await super.setup();
    this.#recordTimers();
    window ??= openWindow();
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(window))) {
      if (NODES_OWN.test(name) || name in Object.prototype) continue;
      const isSame = name in globalThis && Object.is(window[name], Reflect.get(globalThis, name));
      if (!isSame && name !== 'globalThis')
        Object.defineProperty(globalThis, name, { ...property, configurable: true });
    }
    // With this setting, React expects that tests wrap everything that changes the page in `act`.
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
    // The first `act` of a process keeps the `setImmediate` that it finds. If it were the fake one of a test, no later
    // `act` would end, so call it before the first test.
    await requireFromPanel('react').act(async () => {});
    // Call the clean-up of Testing Library after each test. It registers this itself only when it is loaded, so only
    // for the first test file.
    this.unmount = requireFromPanel('@testing-library/react').cleanup;
  }

  /** @param {{ name: string }} event */
  handleTestEvent({ name }) {
    if (name === 'test_done') this.unmount?.();
  }

  /** @override */
  async teardown() {
    // Wait a moment: jsdom reports a changed selection a little later, and React still listens for it.
    await new Promise(resolve => setTimeout(resolve));
    // React may have scheduled work, which uses `window`. Each turn may schedule another.
    for (let turn = 0; turn < 10; turn += 1) await new Promise(resolve => setImmediate(resolve));
    for (const timer of this.#timers) clearTimeout(timer);
    window.document.head.replaceChildren();
    window.document.body.replaceChildren();
    window.localStorage.clear();
    window.sessionStorage.clear();
    for (const cookie of window.document.cookie.split('; ')) {
      window.document.cookie = `${cookie.split('=')[0]}=; Max-Age=0; Path=/`;
    }
    window.history.replaceState(null, '', '/');
    await super.teardown();
  }

  /**
   * Records all timers, so that `teardown` can stop them. A browser stops them when it closes the page. Some of
   * TanStack Query run for minutes.
   */
  #recordTimers() {
    for (const name of /** @type {const} */ (['setTimeout', 'setInterval'])) {
      const original = globalThis[name];
      const record = (/** @type {Parameters<typeof setTimeout>} */ ...args) => {
        const timer = original(...args);
        this.#timers.add(timer);
        return timer;
      };
      Object.assign(globalThis, { [name]: Object.assign(record, original) });
    }
  }
}

module.exports = PanelEnvironment;
