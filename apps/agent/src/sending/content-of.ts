import type { SendCommand } from '@smsgw/contract/link/command'
import type { ClearContent } from './clear-content.ts'
import type { FieldOpener } from './encrypted-field.ts'

export type Clear =
  | { readonly ok: true; readonly content: ClearContent; readonly phoneNumber: string }
  | { readonly ok: false; readonly reason: string }

/** Content and number as they are to be sent; encrypted ones are opened here and nowhere earlier. */
export async function clearContentOf(command: SendCommand, opener: FieldOpener | undefined): Promise<Clear> {
  const { content, phoneNumber, isEncrypted } = command
  if (!isEncrypted) return clear(contentOf(content), phoneNumber)
  if (opener === undefined) {
    return {
      ok: false,
      reason: 'the message is encrypted, and this agent has no passphrase: set ENCRYPTION_PASSPHRASE there',
    }
  }
  const number = await opener.open(phoneNumber)
  if (!number.ok) return number
  if (!('text' in content)) return clear(contentOf(content), number.text)
  const text = await opener.open(content.text)
  return text.ok ? clear({ kind: 'text', text: text.text }, number.text) : text
}

function contentOf(content: SendCommand['content']): ClearContent {
  return 'text' in content
    ? { kind: 'text', text: content.text }
    : { kind: 'data', data: Buffer.from(content.data, 'base64'), port: content.port }
}

/** What people leave in numbers for the eye is taken out; whether it can be dialled is seen when it is written. */
function clear(content: ClearContent, phoneNumber: string): Clear {
  return { ok: true, content, phoneNumber: phoneNumber.replaceAll(/[\s().-]/g, '') }
}
