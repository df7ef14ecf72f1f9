import { ApiError, AuthenticationError, PermissionError } from '@smsgw/client/errors'

/** The names of the fields in the editor, for each member of the request. */
const FIELDS: readonly (readonly [member: RegExp, field: string])[] = [
  [/^(?:phoneNumbers|recipient)\b/, 'To'],
  [/^(?:textMessage|message)\b/, 'Text'],
  [/^deviceId\b/, 'Device'],
  [/^simNumber\b/, 'SIM'],
  [/^priority\b/, 'Priority'],
  [/^ttl\b/, 'Valid for'],
]

/** Returns the problem and, for an invalid request, the field. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof AuthenticationError) return `The gateway refused the credentials: ${error.message}`
  if (error instanceof PermissionError) return `The API key or the account is not allowed to do this: ${error.message}`
  if (!(error instanceof ApiError) || error.errors.length === 0) return error.message
  return error.errors.map(({ path, message }) => `${fieldOf(path)}: ${message}`).join('; ')
}

function fieldOf(path: string): string {
  return FIELDS.find(([member]) => member.test(path))?.[1] ?? path
}
