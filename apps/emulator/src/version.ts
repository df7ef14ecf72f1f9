/** The version in package.json, which a packaged agent cannot read. */
export const VERSION = '0.1.0'
