/** Version of the product, as in package.json, which is not part of a packaged relay. */
export const VERSION = '0.1.0'
