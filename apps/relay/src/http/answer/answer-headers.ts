/** The `Link` header to the API catalog (RFC 9727). */
const CATALOG_LINK = '</.well-known/api-catalog>; rel="api-catalog"'

/** Headers of every answer. They forbid framing, content sniffing, caching and referrers. */
export const ANSWER_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  link: CATALOG_LINK,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Sent only over TLS, because browsers ignore this header over plain HTTP. */
export const STRICT_TRANSPORT = 'max-age=31536000'

/** Adds the link to the catalog after the links of the answer. */
export function withCatalogLink(links: string): string {
  return `${links}, ${CATALOG_LINK}`
}
