import { KnownDevices, type Viewport } from 'puppeteer-core';

/** The browser that a page imitates. */
export interface Device {
  /** The user agent, or a function that makes it from that of the browser. */
  userAgent: string | ((ofBrowser: string) => string);
  viewport: Viewport;
}

const VIEWPORT = { width: 1300, height: 900 };

/** Names the operating system in the user agent of the browser. Keeps the browser's version, which pages check. */
const onSystem = (system: string) => (ofBrowser: string) =>
  ofBrowser.replace(/\(.*?\)/, `(${system})`).replace('Headless', '');

const DESKTOPS: Record<string, Device> = {
  'Desktop Linux': { userAgent: onSystem('X11; Linux x86_64'), viewport: VIEWPORT },
  'Desktop Windows': { userAgent: onSystem('Windows NT 10.0; Win64; x64'), viewport: VIEWPORT },
  'Desktop Macintosh': { userAgent: onSystem('Macintosh; Intel Mac OS X 10_15_7'), viewport: VIEWPORT },
};

/**
 * Finds a device by its name: one of `own`, a desktop, or one of Puppeteer's `KnownDevices`.
 *
 * @throws Error if there is none
 */
export function findDevice(name: string, own: Record<string, Device> = {}): Device {
  const devices: Record<string, Device> = { ...KnownDevices, ...DESKTOPS, ...own };
  const device = Object.hasOwn(devices, name) ? devices[name] : undefined;
  if (device) return device;
  throw new Error(
    `There is no device '${name}'. Use ${Object.keys(DESKTOPS).join(', ')}, a name from Puppeteer's KnownDevices such as 'iPhone 15', or an object { userAgent, viewport }.`,
  );
}
