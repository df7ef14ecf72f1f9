/** The version in package.json. The version is repeated here because a packaged agent cannot read that file. */
export const VERSION = '0.1.0'
