/**
 * Stable codes for why an attempt of a webhook failed, a delivery was dropped or a webhook was disabled, each with the
 * names of its values. Programs translate a code and its values instead of the English text. Codes are never renamed,
 * but new ones may be added.
 */
export const deliveryProblems = {
  connection_refused: [],
  connection_timed_out: [],
  connection_closed: [],
  no_connection_in_time: ['seconds'],
  no_answer_in_time: ['seconds'],
  no_route: [],
  host_not_found: [],
  host_lookup_failed: [],
  host_without_address: [],
  address_not_public: ['host', 'address'],
  url_not_allowed: ['problem'],
  certificate_not_trusted: ['error'],
  tls_failed: ['error'],
  request_failed: ['error'],
  invalid_http: [],
  headers_too_long: [],
  reply_incomplete: ['kib'],
  reply_limit: ['limit'],
  internal_error: [],
  webhook_disabled: [],
  url_changed: ['scopes'],
  gone: [],
  failing_for_five_days: ['lastError'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type DeliveryProblemCode = keyof typeof deliveryProblems

export const deliveryProblemCodes = Object.keys(deliveryProblems) as DeliveryProblemCode[]
