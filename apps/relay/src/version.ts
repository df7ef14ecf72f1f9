/** Of the product: that of the manifest, which a packaged relay does not have beside it. */
export const VERSION = '0.1.0'
