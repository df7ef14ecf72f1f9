import { type Command, command, commandId } from '@smsgw/contract/link/command'
import { problemOf } from '../connection/frame-text.ts'

/** A command as it came, or one that this agent cannot do: it ends as failed, with a reason, and is acknowledged. */
export type ReceivedCommand =
  | { readonly command: Command }
  | { readonly key: string; readonly cmdId: string; readonly problem: string }

/** Undefined when it does not even say which one it is. */
export function receiveCommand(value: unknown): ReceivedCommand | undefined {
  const parsed = command.safeParse(value)
  if (parsed.success) return { command: parsed.data }
  const { kind, cmdId } = (value ?? {}) as Record<string, unknown>
  if (typeof kind !== 'string' || kind.length > 15 || !commandId.safeParse(cmdId).success) return undefined
  return { key: `${kind}:${cmdId}`, cmdId: String(cmdId), problem: problemOf(parsed.error.issues) }
}
