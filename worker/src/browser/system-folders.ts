import { existsSync } from 'node:fs';

export const SYSTEM_FONTS = ['/etc/fonts', '/usr/share/fontconfig', '/usr/share/fonts', '/usr/local/share/fonts'];

/** Name of the folders with shared libraries on Debian. */
export const TRIPLET = process.arch === 'x64' ? 'x86_64-linux-gnu' : 'aarch64-linux-gnu';

/** The loader searches these folders of the system before the libraries from Chromium's package. */
export const SYSTEM_LIBRARIES = [`/usr/lib/${TRIPLET}`, '/usr/lib64', '/usr/lib'];

export const hasFonts = (): boolean => existsSync('/etc/fonts/fonts.conf') && existsSync('/usr/share/fonts');
