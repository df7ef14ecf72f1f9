/** The version in package.json, which a packaged emulator cannot read. */
export const VERSION = '0.1.0'
