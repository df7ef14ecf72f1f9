/** A request to the web interface of a stick. */
export interface WebRequest {
  readonly method: string
  /** `/api/sms/sms-list` */
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

export type WebReply =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
      /** If set, only this number of octets is sent, and then the connection is closed. */
      readonly cutAfter?: number
    }
  /** The connection is closed without a reply. */
  | { readonly kind: 'dropped' }

/** Reads the text of the first element with this name, in a request body. */
export function fieldOf(body: string, name: string): string | undefined {
  const start = body.indexOf(`<${name}>`)
  const end = body.indexOf(`</${name}>`, start)
  if (start < 0 || end < 0) return undefined
  return textOf(body.slice(start + name.length + 2, end))
}

/** Reads the text of each element with this name, in a request body. */
export function elementsOf(body: string, name: string): readonly string[] {
  const end = `</${name}>`
  const parts = body.split(end).slice(0, -1)
  return parts.flatMap((part) => fieldOf(`${part}${end}`, name) ?? [])
}

export function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function textOf(xml: string): string {
  return xml
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&')
}
