import { FieldOpener, type OpenedField } from '../sending/message/encrypted-field.ts'

/** What follows `sealed:` is what it opens to, and no thread of the machine is in the way of a simulated time. */
export class ClearOpener extends FieldOpener {
  constructor() {
    super('')
  }

  override async open(field: string): Promise<OpenedField> {
    const [, text] = /^sealed:\d+:(.*)$/.exec(field) ?? []
    if (text === undefined) return { ok: false, problem: 'is not sealed' }
    return { ok: true, text: Buffer.from(text, 'base64').toString() }
  }
}

let sealedCount = 0

/** Each time another, as salts make it. */
export function sealed(text: string): string {
  sealedCount += 1
  return `sealed:${sealedCount}:${Buffer.from(text).toString('base64')}`
}
