import { type WebReply, xmlText } from './web-request.ts'

/** XML elements that contain only text. */
export function elements(fields: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `<${name}>${xmlText(String(value ?? ''))}</${name}>`)
    .join('\r\n')
}

/** Returns a document with this content. Text that already has a root element is not changed. */
export function xmlAnswer(content: string): WebReply {
  const isDocument = content.startsWith('<html') || content.startsWith('<response')
  const root = isDocument ? content : `<response>\r\n${content}\r\n</response>`
  const body = `<?xml version="1.0" encoding="UTF-8"?>\r\n${root}\r\n`
  return { kind: 'answer', status: 200, headers: { 'content-type': 'text/xml' }, body }
}

export function refusalReply(code: number): WebReply {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\r\n<error>\r\n<code>${code}</code>\r\n<message></message>\r\n</error>`
  return { kind: 'answer', status: 200, headers: { 'content-type': 'text/xml' }, body }
}

export const okReply: WebReply = {
  kind: 'answer',
  status: 200,
  headers: { 'content-type': 'text/xml' },
  body: '<?xml version="1.0" encoding="UTF-8"?><response>OK</response>',
}

/** The codes of refusals, from the published lists of several client libraries. */
export const webErrors = {
  unsupported: 100_002,
  login: 100_003,
  busy: 100_004,
  format: 100_005,
  noSim: 101_001,
  pin: 103_002,
  ussdPending: 111_019,
  ussdTimeout: 111_020,
  ussdUnsupported: 111_022,
  timeout: 113_018,
  delete: 113_036,
  credentials: 108_006,
  tooManyLogins: 108_007,
  session: 125_002,
  token: 125_003,
} as const
