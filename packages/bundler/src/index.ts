export { type BundleOptions, type BundleResult, bundleFiles } from './bundle.js';
export type { SkriptFiles } from './skript-files.js';
