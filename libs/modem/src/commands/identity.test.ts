import { describe, expect, test } from 'vitest'
import { answerTo, valueFrom } from '../testing/answer-to.ts'
import { imeiIn, numberQuery, readInformation, readManufacturer, readModel } from './identity.ts'
import { iccidIn, iccidQuery, readImsi } from './sim/sim-identity.ts'

const readNumber = numberQuery('AT+CGSN')

describe('IMEI', () => {
  test.each([
    ['490154203237518', '490154203237518'],
    ['+CGSN: 490154203237518', '490154203237518'],
    ['+CGSN: "490154203237518"', '490154203237518'],
    ['49015420323751', '49015420323751'],
    ['4901542032375180', '4901542032375180'],
  ])('%s', async (answer, imei) => expect(await valueFrom(readNumber, answer)).toEqual({ imei, serial: undefined }))

  test.each([
    ['1234567890', '1234567890'],
    ['+CGSN: "1234567890"', '1234567890'],
    ['49015420323751899', '49015420323751899'],
    ['ESN 80AABBCC', '80AABBCC'],
    ['ABC123', 'ABC123'],
  ])('%s is accepted as the serial number in an answer without an IMEI', async (answer, serial) =>
    expect(await valueFrom(readNumber, answer)).toEqual({ imei: undefined, serial }),
  )

  test.each(['OK', '0000000000', '12', 'unknown', 'not set'])('%s does not identify a modem', async (answer) =>
    expect((await answerTo(readNumber, answer)).kind).toBe('unreadable'),
  )

  test('an IMEI is not read from the middle of other digits', () =>
    expect(imeiIn('12345678901234567890')).toBeUndefined())
})

describe('manufacturer and model', () => {
  test.each(['huawei', '+CGMI: huawei', '+CGMI: "huawei"', 'AT+CGMI\nhuawei'])('%s', async (answer) => {
    expect(await valueFrom(readManufacturer, answer)).toBe('huawei')
  })
  test('does not read an unsolicited code as a model', async () => {
    expect(await valueFrom(readModel, 'raw:\r\n+CMTI: "SM",1\r\n\r\n+CREG: 1\r\nE3372\r\n\r\nOK\r\n')).toBe('E3372')
  })
})

test('reads the labelled lines of ATI on Huawei', async () => {
  const answer =
    'Manufacturer: huawei\nModel: E3372\nRevision: 21.180.01.00.00\nIMEI: 861821021234567\n+GCAP: +CGSM,+DS,+ES'
  expect(await valueFrom(readInformation, answer)).toMatchObject({
    manufacturer: 'huawei',
    model: 'E3372',
    firmware: '21.180.01.00.00',
    imei: '861821021234567',
  })
})

describe('IMSI', () => {
  test.each(['262011234567890', '+CIMI: 262011234567890', '"262011234567890"'])('%s', async (answer) => {
    expect(await valueFrom(readImsi, answer)).toBe('262011234567890')
  })
})

describe('ICCID', () => {
  test.each([
    ['AT+CCID', '+CCID: "89490200001234567890"', '89490200001234567890'],
    ['AT+CCID', '+CCID: 8949020000123456789', '8949020000123456789'],
    ['AT+QCCID', '+QCCID: 8949020000123456789F', '8949020000123456789'],
    ['AT^ICCID?', '^ICCID: 98942000002143658709', '89490200001234567890'],
    ['AT+CICCID', '+ICCID: 89490200001234567890', '89490200001234567890'],
    ['AT+CCID', '89490200001234567890', '89490200001234567890'],
    ['AT+CCID', '89490200001234567890f', '89490200001234567890'],
    ['AT+CRSM=176,12258,0,0,10', '+CRSM: 144,0,"984920000021436587F9"', '8994020000123456789'],
  ])('%s: %s', async (command, answer, iccid) => {
    expect(await valueFrom(iccidQuery(command), answer)).toBe(iccid)
  })
  test('ignores digits that do not begin with 89', () => expect(iccidIn('12345678901234567890')).toBeUndefined())
})
