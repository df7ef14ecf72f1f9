/** The version in package.json. The version is repeated here because a packaged bridge cannot read that file. */
export const VERSION = '0.1.0'
