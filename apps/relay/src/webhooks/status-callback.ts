/**
 * The formats of webhooks that report the states of single messages. Each message names the address for its reports.
 */
export const STATUS_FORMATS = ['twilio-status', 'kannel-dlr'] as const
export type StatusFormat = (typeof STATUS_FORMATS)[number]

export function isStatusFormat(format: string | null): format is StatusFormat {
  return STATUS_FORMATS.some((one) => one === format)
}

/** The URL that gets the states of one message. */
export type StatusCallback =
  | { readonly format: 'twilio-status'; readonly url: string }
  /** `url` contains Kannel's placeholders. `mask`: the requested reports, one bit each. */
  | { readonly format: 'kannel-dlr'; readonly url: string; readonly mask: number }

/** Returns the text that is stored with the message: the URL; for Kannel, the mask and the URL. */
export function storedCallback(callback: StatusCallback): string {
  return callback.format === 'kannel-dlr' ? `kannel ${callback.mask} ${callback.url}` : callback.url
}

export function readCallback(stored: string): StatusCallback {
  const [, mask, url] = /^kannel (\d+) (.*)$/s.exec(stored) ?? []
  return url === undefined
    ? { format: 'twilio-status', url: stored }
    : { format: 'kannel-dlr', url, mask: Number(mask) }
}

/** Returns the origin of the URL, which is the URL of the webhook that delivers the reports. */
export function originOf({ url }: StatusCallback): string {
  return `${new URL(url).origin}/`
}
