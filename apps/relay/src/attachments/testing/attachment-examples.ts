import { DecodedBase64 } from '@smsgw/contract/fields/decoded-base64'
import { expect } from 'vitest'
import type { Statements } from '../../store/database.ts'
import { insertReceivedAttachment } from '../insert-received-attachment-statement.ts'
import { readOctets } from '../read-octets-statement.ts'

const now = new Date('2026-03-01T12:00:00.000Z')

/** Runs the statements of attachments, for `statements.test.ts`. */
export const attachmentExamples: Readonly<Record<string, (statements: Statements) => Promise<unknown>>> = {
  'attachments/read-octets-statement.ts': async (s) => {
    const key = await newMms(s)
    const picture = { inboxKey: key, partId: 1n }
    const facts = { position: 0, name: '', contentType: 'image/jpeg', size: 3, octets: new Uint8Array([1, 2, 3]) }
    await s.inboxAttachment.create({ data: { ...picture, ...facts } })
    expect(await readOctets(s, picture, 1, 5)).toEqual(new Uint8Array([2, 3]))
  },
  'attachments/insert-received-attachment-statement.ts': async (s) => {
    const key = await newMms(s)
    expect([await insertPicture(s, key, [1, 2, 3]), await insertPicture(s, key, [4])]).toEqual([1, 0])
    const { octets } = await s.inboxAttachment.findFirstOrThrow({ where: { inboxKey: key } })
    expect(octets).toEqual(new Uint8Array([1, 2, 3]))
  },
}

async function newMms(statements: Statements): Promise<bigint> {
  const { key } = await statements.inboxItem.create({
    data: {
      accountId: 'account',
      id: 'mms',
      deviceId: 'device',
      type: 'MMS_DOWNLOADED',
      sender: '+1',
      createdAt: now,
    },
  })
  return key
}

function insertPicture(statements: Statements, inboxKey: bigint, octets: readonly number[]): Promise<number> {
  // Inserts the octets in several pieces, as they arrive in an upload.
  const pieces = octets.map((octet) => new Uint8Array([octet]))
  const picture = { partId: 1, name: '', contentType: 'image/jpeg', octets: new DecodedBase64(pieces) }
  return insertReceivedAttachment(statements, { inboxKey, position: 0 }, picture)
}
