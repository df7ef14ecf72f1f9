/** On every answer: nothing here is to be framed, guessed at, kept or followed by a browser. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Over TLS only: a browser ignores it otherwise. */
export const STRICT_TRANSPORT = 'max-age=31536000'
