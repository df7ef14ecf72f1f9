import { huaweiE3372 } from './huawei-e3372.ts'
import type { Personality } from './personality.ts'

/**
 * An older Qualcomm-based stick: no LTE, one memory, and no direct status reports, although it claims to support them.
 */
export const huaweiE173: Personality = {
  ...huaweiE3372,
  name: 'huawei-e173',
  title: 'Huawei E173 stick',
  identity: {
    ...huaweiE3372.identity,
    model: 'E173',
    revision: '11.126.85.00.00',
    about: (imei) => [
      'Manufacturer: huawei',
      'Model: E173',
      'Revision: 11.126.85.00.00',
      `IMEI: ${imei}`,
      '+GCAP: +CGSM,+DS,+ES',
    ],
  },
  boot: {
    ...huaweiE3372.boot,
    simLines: (state) => [state === undefined ? '^SIMST:255' : '^SIMST:1'],
    registeredLines: ['^SRVST:2', '^MODE:5,4', '^RSSI:20'],
  },
  messages: {
    ...huaweiE3372.messages,
    phoneCapacity: 23,
    acceptsCnmi: (cnmi) => huaweiE3372.messages.acceptsCnmi(cnmi) && cnmi.ds !== 1,
  },
  registration: {
    ...huaweiE3372.registration,
    commands: ['+CREG', '+CGREG'],
    bestTechnology: 'hspa',
    showsTechnology: false,
    changeLines: ({ radio, settings }) =>
      settings.remembered.get('^CURC')?.startsWith('0') ? [] : [`^RSSI:${radio.signalQuality}`],
  },
  lacks: [...huaweiE3372.lacks, '+CEREG', '+CESQ', '+WS46'],
  statusLine: (random) => {
    const lines = [`^RSSI:${random.integer(32)}`, '^MODE:5,4', '^BOOT:28217477,0,0,0,72', '^SRVST:2', '^CSNR:-63,-7']
    return lines[random.integer(lines.length)] ?? ''
  },
}
