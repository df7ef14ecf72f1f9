/**
 * The web interface of a HiLink stick, which the driver uses through the network of the machine. The driver sends one
 * request at a time.
 */
export interface WebPort {
  /** Sends one request. Never rejects. Follows no redirects, and limits the time and the size of the reply. */
  exchange(request: WebRequest): Promise<WebReply>
  /** Calls the listener once, with the reason. */
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
  /** No connection was made, so the stick has not received the request. */
  | { readonly kind: 'not-sent'; readonly why: string }
  /** The reply was late, incomplete or too large, so the stick may have executed the request. */
  | { readonly kind: 'no-answer'; readonly why: string }
