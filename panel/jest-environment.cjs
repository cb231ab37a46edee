const { TestEnvironment } = require('jest-environment-jsdom');

/** A screen that fits no query, and never changes. */
const matchMedia = query => ({
  matches: false,
  media: query,
  addEventListener: () => {},
  removeEventListener: () => {},
});

/** Of a screen that never changes there is nothing to tell. */
class ResizeObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

/** Node's own takes Node's signals only, and jsdom's listeners only jsdom's. Nothing is aborted in a test. */
class RequestWithoutSignal extends Request {
  constructor(input, init) {
    super(input, init && { ...init, signal: undefined });
  }
}

/** jsdom with what it leaves out: Node's own request classes, which React Router uses, and what Mantine asks of a screen. */
module.exports = class extends TestEnvironment {
  async setup() {
    await super.setup();
    Object.assign(this.global, { TextEncoder, TextDecoder, Request: RequestWithoutSignal, Response, Headers });
    Object.assign(this.global, { matchMedia, ResizeObserver });
  }
};
