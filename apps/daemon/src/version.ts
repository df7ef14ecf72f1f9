/** The version of all programs. Repeated from package.json, which a packaged program cannot read. */
export const VERSION = '0.1.0'
