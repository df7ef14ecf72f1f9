import { describe, expect, test } from 'vitest'
import { catalogue } from './catalogue.ts'
import { chooseProfile } from './fingerprint.ts'
import { genericProfile } from './generic.ts'
import type { FingerprintFacts } from './profile.ts'

const chosen = (facts: Partial<FingerprintFacts>) =>
  chooseProfile(catalogue, genericProfile, {
    manufacturer: undefined,
    model: undefined,
    firmware: undefined,
    usb: undefined,
    ...facts,
  })

describe('a profile is chosen', () => {
  test.each([
    ['huawei', { manufacturer: 'huawei', model: 'E3372' }],
    ['huawei', { manufacturer: 'HUAWEI TECHNOLOGIES CO., LTD', model: 'MU609' }],
    ['zte', { manufacturer: 'ZTE CORPORATION', model: 'MF190' }],
    ['zte', { manufacturer: 'ZTE INCORPORATED', model: 'MF823', usb: '19d2:1405' }],
    ['quectel', { manufacturer: 'Quectel', model: 'EC25' }],
    ['quectel', { manufacturer: 'Quectel', model: 'EG25G', usb: '2c7c:0125' }],
    ['quectel', { manufacturer: 'Quectel', model: 'BG96' }],
    ['quectel-serial', { manufacturer: 'Quectel_Ltd', model: 'Quectel_M95' }],
    ['quectel-serial', { manufacturer: 'Quectel_Ltd', model: 'M26' }],
    ['simcom-2g', { manufacturer: 'SIMCOM_Ltd', model: 'SIMCOM_SIM800L' }],
    ['simcom-2g', { manufacturer: 'SIMCOM_Ltd', model: 'SIMCOM_SIM900' }],
    ['simcom-lte', { manufacturer: 'SIMCOM INCORPORATED', model: 'SIMCOM_SIM7600E-H' }],
    ['simcom-lte', { manufacturer: 'SIMCOM INCORPORATED', model: 'SIM7070' }],
    ['simcom-a76xx', { manufacturer: 'INCORPORATED', model: 'A7670E-FASE' }],
    ['simcom-a76xx', { manufacturer: 'SIMCOM INCORPORATED', model: 'SIM7670G' }],
    ['sierra', { manufacturer: 'Sierra Wireless, Incorporated', model: 'MC7304' }],
    ['ublox', { manufacturer: 'u-blox', model: 'TOBY-L210' }],
    ['telit', { manufacturer: 'Telit', model: 'HE910' }],
    ['cinterion', { manufacturer: 'Cinterion', model: 'EHS6' }],
    ['cinterion', { manufacturer: 'SIEMENS', model: 'MC35i' }],
    ['wavecom', { manufacturer: 'WAVECOM MODEM', model: 'MULTIBAND 900E 1800' }],
    ['novatel', { manufacturer: 'Novatel Wireless Incorporated', model: 'Ovation MC950D' }],
    ['nokia', { manufacturer: 'Nokia', model: 'Nokia E51' }],
    ['option', { manufacturer: 'Option N.V.', model: 'GlobeTrotter HSDPA Modem' }],
    ['dlink', { manufacturer: 'D-Link', model: 'DWM-156' }],
    ['fibocom', { manufacturer: 'Fibocom Wireless Inc.', model: 'L850-GL' }],
    ['qualcomm', { manufacturer: 'QUALCOMM INCORPORATED', model: 'M6280' }],
    ['generic', { manufacturer: 'Anyone', model: 'Modem One' }],
    ['generic', {}],
  ])('a profile is chosen: %s for %j', (name, facts) => expect(chosen(facts).name).toBe(name))

  test('a profile is chosen by USB id alone when the modem reports nothing', () =>
    expect(chosen({ usb: '12d1:1506' }).name).toBe('huawei'))

  test("a profile is chosen by the modem's answers rather than by its USB id", () => {
    // A Huawei module in another vendor's stick with Qualcomm's USB id.
    expect(chosen({ manufacturer: 'huawei', model: 'E3372', usb: '05c6:9000' }).name).toBe('huawei')
  })

  test('a profile is never chosen by a fingerprint with a failed condition', () => {
    expect(chosen({ manufacturer: 'Telit', usb: '2c7c:0125' }).name).not.toBe('quectel-serial')
  })
})

describe('variants', () => {
  test('variants change only the values that they contain', () => {
    const e3531 = chosen({ manufacturer: 'huawei', model: 'E3531' })
    const e3372 = chosen({ manufacturer: 'huawei', model: 'E3372' })
    expect(e3531.storage.usageLagMs).toBe(500)
    expect(e3372.storage.usageLagMs).toBe(0)
    expect({ ...e3531, storage: e3372.storage }).toEqual(e3372)
  })
  test('variants do not apply to models that the modem does not report', () => {
    expect(chosen({ manufacturer: 'huawei' }).storage.usageLagMs).toBe(0)
  })
})

describe('the catalogue', () => {
  test('has no name twice', () => {
    const names = [...catalogue.map((profile) => profile.name), genericProfile.name]
    expect(new Set(names).size).toBe(names.length)
  })
  test.each(catalogue.map((profile) => [profile.name, profile] as const))('%s can be found', (_name, profile) => {
    expect(profile.fingerprints.length).toBeGreaterThan(0)
    expect(profile.indications.length).toBeGreaterThan(0)
    expect(profile.radio.resetCommands.length).toBeGreaterThan(0)
    for (const form of profile.unsolicited) expect(form.code).toBe(form.code.toUpperCase())
  })
})
