import { z } from 'zod'

const MOST_RECIPIENTS = 100

const id = z.string().min(1).max(128)
/** A phone number, or the alias of a hidden number, which has up to 124 characters. */
const recipient = z.string().min(1).max(128)

/** A request to send a text. The API checks numbers and text, and accepts or refuses the message. */
const commandSchema = z.object({
  to: z.union([recipient, z.array(recipient).min(1).max(MOST_RECIPIENTS)]),
  text: z.string().min(1).max(10_000),
  id: id.exactOptional(),
  deviceId: z.string().max(64).exactOptional(),
  simNumber: z.int().positive().exactOptional(),
  priority: z.int().exactOptional(),
  ttl: z.int().positive().exactOptional(),
})

export type MqttCommand = z.output<typeof commandSchema>

export type ReadMqttCommand =
  | { readonly command: MqttCommand }
  | { readonly problem: string; readonly id: string | undefined }

/** Reads the payload of a command. */
export function readCommand(payload: Buffer): ReadMqttCommand {
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload))
  } catch {
    return { problem: 'the payload is not JSON; for example {"to": "+447400123456", "text": "Hello"}', id: undefined }
  }
  const parsed = commandSchema.safeParse(json)
  if (parsed.success) return { command: parsed.data }
  const [issue] = parsed.error.issues
  const given = z.object({ id }).safeParse(json)
  return { problem: `${issue?.path.join('.') || 'payload'}: ${issue?.message}`, id: given.data?.id }
}
