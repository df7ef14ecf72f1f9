import { expect } from 'vitest'
import type { Statements } from '../../store/database.ts'
import { readOctets } from '../read-octets-statement.ts'

const now = new Date('2026-03-01T12:00:00.000Z')

/** Runs the statement of attachments, for `statements.test.ts`. */
export const attachmentExamples: Readonly<Record<string, (statements: Statements) => Promise<unknown>>> = {
  'attachments/read-octets-statement.ts': async (s) => {
    const { key } = await s.inboxItem.create({
      data: {
        accountId: 'account',
        id: 'mms',
        deviceId: 'device',
        type: 'MMS_DOWNLOADED',
        sender: '+1',
        createdAt: now,
      },
    })
    const picture = { inboxKey: key, partId: 1n }
    const facts = { position: 0, name: '', contentType: 'image/jpeg', size: 3, octets: new Uint8Array([1, 2, 3]) }
    await s.inboxAttachment.create({ data: { ...picture, ...facts } })
    expect(await readOctets(s, picture, 1, 5)).toEqual(new Uint8Array([2, 3]))
  },
}
