import { type Command, command, commandId } from '@smsgw/contract/link/command'
import { inWords, problemOf } from '../connection/frame-text.ts'

/**
 * A command from the relay. If this agent does not support it, the command is acknowledged and ends as failed, with the
 * reason.
 */
export type ReceivedCommand =
  | { readonly command: Command }
  | { readonly key: string; readonly cmdId: string; readonly problem: string }

/** Returns undefined if the command has no valid kind and id. */
export function receiveCommand(value: unknown): ReceivedCommand | undefined {
  const parsed = command.safeParse(value, inWords)
  if (parsed.success) return { command: parsed.data }
  const { kind, cmdId } = (value ?? {}) as Record<string, unknown>
  if (typeof kind !== 'string' || kind.length > 15 || !commandId.safeParse(cmdId).success) return undefined
  return { key: `${kind}:${cmdId}`, cmdId: String(cmdId), problem: problemOf(parsed.error.issues) }
}
