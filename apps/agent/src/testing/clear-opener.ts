import { FieldOpener, type OpenedField } from '../sending/message/encrypted-field.ts'

/**
 * Decodes the results of `sealed()` without cryptography, because cryptography runs in a thread that does not use the
 * simulated clock.
 */
export class ClearOpener extends FieldOpener {
  constructor() {
    super({})
  }

  override async open(field: string): Promise<OpenedField> {
    const [, text] = /^sealed:\d+:(.*)$/.exec(field) ?? []
    if (text === undefined) return { ok: false, problem: 'is not sealed' }
    return { ok: true, text: Buffer.from(text, 'base64').toString() }
  }
}

let sealedCount = 0

/** Returns a different value at each call, like encryption with a salt. */
export function sealed(text: string): string {
  sealedCount += 1
  return `sealed:${sealedCount}:${Buffer.from(text).toString('base64')}`
}
