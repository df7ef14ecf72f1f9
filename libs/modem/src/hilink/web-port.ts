/**
 * The web interface of a HiLink stick, as the seam between driver and network. The driver sends one request at a time.
 */
export interface WebPort {
  /** Never rejects. Follows no redirects, and limits the time and the size of the reply. */
  exchange(request: WebRequest): Promise<WebReply>
  /** The listener is called once, with the reason. */
  onClosed(listener: (reason: string) => void): void
}

export interface WebRequest {
  readonly method: 'GET' | 'POST'
  /** `/api/sms/sms-list` */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs: number
}

export type WebReply =
  | {
      readonly kind: 'answer'
      readonly status: number
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }
  /** No connection was made, so the stick has seen nothing of the request. */
  | { readonly kind: 'not-sent'; readonly why: string }
  /** The request may have been carried out: the reply was late, incomplete or too large. */
  | { readonly kind: 'no-answer'; readonly why: string }
