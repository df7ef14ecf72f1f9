import type { CallToolResult } from '@modelcontextprotocol/server'
import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  TimeoutError,
  UnavailableError,
} from '@smsgw/client/errors'

/** The result of a tool, structured and as text for clients that read only text. */
function answer(structuredContent: Record<string, unknown>): CallToolResult {
  return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] }
}

/**
 * Runs a tool. If the caller can resolve an error, the error becomes a result with `isError`. Any other error is a
 * fault of the server.
 */
export async function answerOrError(
  signal: AbortSignal,
  run: () => Promise<Record<string, unknown>>,
): Promise<CallToolResult> {
  try {
    return answer(await run())
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const text = adviceFor(error)
    if (text === undefined) throw error
    return { isError: true, content: [{ type: 'text', text }] }
  }
}

/** Thrown for a mistake in the arguments of a tool. The message contains the solution. */
export class ToolInputError extends Error {
  override readonly name = 'ToolInputError'
}

/** Returns the problem and its solution, or undefined for a fault of this program. */
function adviceFor(error: unknown): string | undefined {
  if (error instanceof ToolInputError) return error.message
  if (error instanceof ApiError) return `${problemOf(error)} ${adviceForStatus(error)}`
  if (error instanceof ConnectionError)
    return 'The SMS gateway cannot be reached. Check that the gateway is running and that its address is correct, then try again.'
  if (error instanceof TimeoutError) return 'The SMS gateway did not answer in time. Try again.'
  return undefined
}

function problemOf(error: ApiError): string {
  const { errors, message, requestId } = error
  const isAboutMembers = error instanceof InvalidRequestError && errors.length > 0
  const problem = isAboutMembers ? errors.map((one) => `${one.path} ${one.message}`).join('; ') : message
  return `${problem.replace(/\.?$/, '.')}${requestId === undefined ? '' : ` Request ${requestId}.`}`
}

function adviceForStatus(error: ApiError): string {
  if (error instanceof AuthenticationError)
    return 'Ask the user to set a valid API key: it may be missing, expired or revoked.'
  if (error instanceof PermissionError)
    return 'The API key does not allow this. Do not try another number or another way: ask the user to change the limits or scopes of the key.'
  if (error instanceof RateLimitError)
    return `Do not repeat the call ${error.retryAfterSeconds === undefined ? 'now' : `for ${error.retryAfterSeconds} seconds`}.`
  if (error instanceof NotFoundError) return 'Check the id or the number.'
  if (error instanceof InvalidRequestError) return 'Correct the arguments and call the tool again.'
  if (error instanceof UnavailableError) return 'Try again later with the same arguments.'
  return 'Ask the user how to proceed.'
}
