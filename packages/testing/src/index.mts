// ES modules and CommonJS share the classes of the CommonJS build, so that `instanceof` works across both.
export * from './index.js';
