import { ApiError, AuthenticationError, PermissionError } from '@smsgw/client/errors'

/** The names of the fields in n8n, by the member of the request. */
const FIELDS: readonly (readonly [member: RegExp, field: string])[] = [
  [/^(?:phoneNumbers|recipient)\b/, 'To'],
  [/^(?:textMessage|message)\b/, 'Text'],
  [/^deviceId\b/, 'Device ID'],
  [/^simNumber\b/, 'SIM Number'],
  [/^priority\b/, 'Priority'],
  [/^ttl\b/, 'Valid For'],
  [/^scheduleAt\b/, 'Send At'],
  [/^url\b/, 'Webhook URL'],
]

/** An error in the form of n8n: message, description, and the affected item. */
export class NodeProblem extends Error {
  override readonly name = 'NodeProblem'
  readonly description: string | undefined
  readonly context: { readonly itemIndex: number | undefined }
  /** The HTTP status, for the error branch of a workflow. */
  readonly httpCode: string | undefined

  constructor(cause: unknown, itemIndex?: number) {
    super(messageOf(cause), { cause })
    this.description = descriptionOf(cause)
    this.context = { itemIndex }
    this.httpCode = cause instanceof ApiError ? String(cause.status) : undefined
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof ApiError) || error.errors.length === 0)
    return error instanceof Error ? error.message : String(error)
  return error.errors.map(({ path, message }) => `${fieldOf(path)}: ${message}`).join('; ')
}

function descriptionOf(error: unknown): string | undefined {
  if (error instanceof AuthenticationError)
    return 'The gateway refused the credentials. Check them in the credentials of the node.'
  if (error instanceof PermissionError) return 'The API key lacks a scope, or one of its limits is reached.'
  return error instanceof ApiError && error.requestId !== undefined ? `Request ${error.requestId}` : undefined
}

function fieldOf(path: string): string {
  return FIELDS.find(([member]) => member.test(path))?.[1] ?? path
}
