import type { ApiKey } from '@smsgw/contract/access/api-key'
import type { DeviceAnswer } from '@smsgw/contract/devices/device'
import { expect, test } from 'vitest'
import { fieldsOf, inOrder, limitsOf, simChoices } from './api-key-fields.ts'

const office = {
  id: 'office',
  name: 'Office',
  simCards: [{ simNumber: 1 }, { simNumber: 2 }],
} as unknown as DeviceAnswer
const shop = { id: 'shop 2', name: 'Shop', simCards: [{ simNumber: 1 }] } as unknown as DeviceAnswer

test('an empty field sets no limit', () => {
  expect(limitsOf({ sims: [], recipients: ' \n', recipientsPerDay: undefined, needsApproval: false })).toEqual({})
})

test('recipients are separated by commas or new lines, and may contain spaces', () => {
  const { recipients } = limitsOf({
    sims: [],
    recipients: '+44 7400 123456, +49*\n+1 (415) 555-0123',
    recipientsPerDay: undefined,
    needsApproval: false,
  })
  expect(recipients).toEqual(['+447400123456', '+49*', '+14155550123'])
})

test('limits stay the same when they are shown and saved', () => {
  const limits = {
    sims: [{ deviceId: 'office', simNumber: 2 }, { deviceId: 'shop 2' }],
    recipients: ['+447400123456', '+49*'],
    recipientsPerDay: 50,
    approval: 'required' as const,
  }
  expect(limitsOf(fieldsOf(limits))).toEqual(limits)
})

test('the SIMs of a device are left out when every SIM of the device is chosen', () => {
  const { sims } = limitsOf({ ...fieldsOf({}), sims: ['1 office', ' office'] })
  expect(sims).toEqual([{ deviceId: 'office' }])
})

test('offers every device, each SIM of devices with several SIMs, and chosen SIMs of removed devices', () => {
  const choices = simChoices([office, shop], ['1 gone'])
  expect(choices.map(({ deviceName, simNumber }) => [deviceName, simNumber])).toEqual([
    ['Office', undefined],
    ['Office', 1],
    ['Office', 2],
    ['Shop', undefined],
    ['gone', 1],
  ])
})

test('lists active keys before expired and revoked ones', () => {
  const keys = ['revoked', 'active', 'expired', 'active'].map((state, at) => ({ id: String(at), state }) as ApiKey)
  expect(inOrder(keys).map(({ id }) => id)).toEqual(['1', '3', '0', '2'])
})
