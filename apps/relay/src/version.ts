/** Version of the product. Repeated from package.json, which is not part of a packaged relay. */
export const VERSION = '0.1.0'
