import { isNumberAlias } from '@smsgw/contract/devices/number-alias'
import type { SendCommand } from '@smsgw/contract/link/command'
import { z } from 'zod'
import type { FieldOpener, OpenedField } from './encrypted-field.ts'

/** A text, or data for a port, after decryption. */
export type ClearContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'data'; readonly data: Uint8Array; readonly port: number }

export type Clear =
  | { readonly ok: true; readonly content: ClearContent; readonly phoneNumber: string }
  | { readonly ok: false; readonly reason: string }

/** Returns the decrypted content and number. Encrypted fields and aliases are decrypted here, just before sending. */
export async function clearContentOf(command: SendCommand, opener: FieldOpener): Promise<Clear> {
  const { content, isEncrypted } = command
  const number = await numberOf(command, opener)
  if (!number.ok) return refused('the phone number', number.problem)
  if (!isEncrypted) return clear(contentOf(content), number.text)
  const field = 'text' in content ? 'textMessage.text' : 'dataMessage.data'
  const opened = await opener.open('text' in content ? content.text : content.data)
  if (!opened.ok) return refused(field, opened.problem)
  if ('text' in content) return clear(contentOf({ text: opened.text }), number.text)
  // Removes line breaks, because some clients divide base64 into lines.
  const data = opened.text.replaceAll(/\s/g, '')
  if (!base64.safeParse(data).success) return refused(field, 'does not decrypt to base64')
  return clear(contentOf({ ...content, data }), number.text)
}

async function numberOf({ phoneNumber, isEncrypted }: SendCommand, opener: FieldOpener): Promise<OpenedField> {
  if (isNumberAlias(phoneNumber)) return opener.numberOf(phoneNumber)
  return isEncrypted ? await opener.open(phoneNumber) : { ok: true, text: phoneNumber }
}

const base64 = z.base64().min(1)

function refused(field: string, problem: string): Clear {
  return { ok: false, reason: `${field} ${problem}` }
}

function contentOf(content: SendCommand['content']): ClearContent {
  return 'text' in content
    ? { kind: 'text', text: content.text }
    : { kind: 'data', data: Buffer.from(content.data, 'base64'), port: content.port }
}

/** Removes separators from the number. `planMessage` checks whether it can be dialled. */
function clear(content: ClearContent, phoneNumber: string): Clear {
  return { ok: true, content, phoneNumber: phoneNumber.replaceAll(/[\s().-]/g, '') }
}
