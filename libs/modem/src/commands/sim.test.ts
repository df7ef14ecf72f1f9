import { describe, expect, test } from 'vitest'
import { answerTo, valueFrom } from '../testing/answer-to.ts'
import { readPhonebook, readPhonebookEntries, readPhonebookRange } from './phonebook.ts'
import type { Answer, Query } from './query.ts'
import { readLastUsedMessageReference, readSimFile } from './sim-file.ts'

describe('a file of the SIM', () => {
  test('is read', async () => {
    expect(await valueFrom(readSimFile(12258, 3), '+CRSM: 144,0,"984902"')).toEqual({
      ok: true,
      status: 0x9000,
      octets: Uint8Array.of(0x98, 0x49, 0x02),
    })
  })
  test.each([
    ['no such file', '+CRSM: 106,130', 0x6a82],
    ['PIN first', '+CRSM: 105,130,""', 0x6982],
    ['no such file, said by an old card', '+CRSM: 148,4', 0x9404],
  ])('%s', async (_why, answer, status) => {
    expect(await valueFrom(readSimFile(12258, 3), answer)).toEqual({ ok: false, status })
  })
})

describe('the last used TP-MR (EF_SMSS)', () => {
  test('is the first byte of 6F43', async () => {
    expect(readLastUsedMessageReference.text).toBe('AT+CRSM=176,28483,0,0,2')
    expect(await valueFrom(readLastUsedMessageReference, '+CRSM: 144,0,"2AFF"')).toBe(0x2a)
    expect(await valueFrom(readLastUsedMessageReference, '+CRSM: 144,0,2AFF')).toBe(0x2a)
  })
  test('of a card that never sent', async () => {
    expect(await valueFrom(readLastUsedMessageReference, '+CRSM: 144,0,"FFFF"')).toBe('never')
  })
  test('255 was used when the flag beside it is set', async () => {
    expect(await valueFrom(readLastUsedMessageReference, '+CRSM: 144,0,"FFFE"')).toBe(255)
  })
  test('cannot be read', async () => {
    expect((await answerTo(readLastUsedMessageReference, '+CRSM: 106,130')).kind).toBe('unreadable')
  })
})

describe('the phonebook', () => {
  test.each([
    ['+CPBR: (1-250),40,20', { first: 1, last: 250 }],
    ['+CPBR: (0-99),20,14', { first: 0, last: 99 }],
    ['+CPBR: (1,2,3),20,14', { first: 1, last: 3 }],
  ])('%s', async (answer, range) => expect(await valueFrom(readPhonebookRange, answer)).toEqual(range))

  test('rows, also in UCS-2', async () => {
    const rows = '+CPBR: 1,"+491711",145,"Anna, home"\n+CPBR: 2,"003100320033",129,"0041006E006E0061"'
    expect(await valueFrom(readPhonebookEntries(1, 20), rows)).toEqual([
      { place: 1, number: '+491711', name: 'Anna, home' },
      { place: 2, number: '123', name: 'Anna' },
    ])
  })

  test('is read some places at a time, and those that are all empty are passed over', async () => {
    const asked: string[] = []
    const ask = <T>(query: Query<T>): Promise<Answer<T>> => {
      asked.push(query.text)
      const answers: Record<string, string> = {
        'AT+CPBS="SM"': 'OK',
        'AT+CPBR=?': '+CPBR: (1-45),40,20',
        'AT+CPBR=1,20': '+CME ERROR: 22',
        'AT+CPBR=21,40': '+CPBR: 21,"123",129,"A"',
        'AT+CPBR=41,45': 'OK',
      }
      return answerTo(query, answers[query.text] ?? 'ERROR')
    }
    expect(await readPhonebook(ask, 'SM')).toEqual([{ place: 21, number: '123', name: 'A' }])
    expect(asked).toEqual(['AT+CPBS="SM"', 'AT+CPBR=?', 'AT+CPBR=1,20', 'AT+CPBR=21,40', 'AT+CPBR=41,45'])
  })
})
