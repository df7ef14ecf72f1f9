import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { type NpmClient, npmClient } from './house/peers/npm-client.ts'
import { Receiver } from './house/peers/receiver.ts'
import { startGatewayPlace, startRelayPlace, type TestPlace } from './house/test-place.ts'

const modes = [
  { mode: 'a cloud relay', start: () => startRelayPlace() },
  { mode: 'a gateway in Local Server mode', start: startGatewayPlace },
]

for (const { mode, start } of modes) {
  describe(`the npm client android-sms-gateway 3.0.0 against ${mode}`, () => {
    let place: TestPlace
    let client: NpmClient
    let receiver: Receiver

    beforeAll(async () => {
      place = await start()
      receiver = await Receiver.start()
      client = npmClient(place.url, place.user)
    })

    afterAll(async () => {
      await place?.stop()
      await receiver?.stop()
    })

    test('sends with the deprecated text field and null values, and follows the state', async () => {
      const sent = await client.send({
        id: null,
        message: 'Secure OTP: 123456 🔐',
        ttl: null,
        phoneNumbers: ['+447400100001'],
        simNumber: null,
        withDeliveryReport: null,
      })
      expect(sent.recipients).toEqual([{ phoneNumber: '+447400100001', state: expect.stringMatching(/^P/) }])
      const state = await eventually(
        () => client.getState(sent.id),
        (found) => String(found.state) === 'Delivered',
      )
      expect(state).toMatchObject({ id: sent.id, recipients: [{ phoneNumber: '+447400100001', state: 'Delivered' }] })
      expect(place.emulator.ledger().map(({ text }) => text)).toEqual(['Secure OTP: 123456 🔐'])
    })

    test('sends to several numbers with a TTL, a SIM, no delivery report and its own id', async () => {
      const phoneNumbers = ['+447400100002', '+447400100003']
      const sent = await client.send({
        id: 'order:42',
        message: 'On its way',
        ttl: 3600,
        phoneNumbers,
        simNumber: 1,
        withDeliveryReport: false,
      })
      expect(sent.id).toBe('order:42')
      const ended = await eventually(
        () => client.getState('order:42'),
        ({ recipients }) => recipients.every(({ state }) => String(state) === 'Sent'),
      )
      expect(ended.recipients.map(({ phoneNumber }) => phoneNumber)).toEqual(phoneNumbers)
    })

    test('refuses an invalid number with a clear error, and accepts it with skipPhoneValidation', async () => {
      const message = { message: 'to a short code', phoneNumbers: ['40404'] }
      const refused = await client.send(message, { skipPhoneValidation: false }).catch((error) => error)
      expect(refused).toMatchObject({ code: 400, message: expect.stringContaining('phoneNumbers') })
      const sent = await client.send(message, { skipPhoneValidation: true })
      await eventually(
        () => client.getState(sent.id),
        ({ state }) => ['Sent', 'Delivered'].includes(state),
      )
    })

    test('webhooks: registers, lists, receives known events, deletes', async () => {
      const events = ['sms:received', 'sms:sent', 'sms:delivered', 'sms:failed', 'system:ping'] as never[]
      for (const event of events) {
        const made = await client.registerWebhook({ id: `npm-${event}`, event, url: receiver.url, deviceId: null })
        expect(made).toMatchObject({ id: `npm-${event}`, event, url: receiver.url, deviceId: null })
      }
      expect((await client.getWebhooks()).map(({ event }) => event).sort()).toEqual([...events].sort())

      await place.emulator.instruct('set-rule', { prefix: '+4474001009', policy: { outcome: 'rejected', cause: 1 } })
      const good = await client.send({ message: 'Good', phoneNumbers: ['+447400100004'] })
      const bad = await client.send({ message: 'Bad', phoneNumbers: ['+447400100901'] })
      await place.emulator.instruct('send-text', { from: '+447400200001', to: 'modem0', text: 'Hi there' })
      const of = async (event: string, messageId?: string) =>
        (
          await receiver.until(
            (received) =>
              received.event === event && (messageId === undefined || received.payload['messageId'] === messageId),
          )
        ).payload
      const localTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*[+-]\d\d:\d\d$/)
      expect(await of('sms:sent', good.id)).toMatchObject({ messageId: good.id, sentAt: localTime })
      expect(await of('sms:delivered', good.id)).toMatchObject({ messageId: good.id, deliveredAt: localTime })
      const failed = { messageId: bad.id, failedAt: localTime, error: expect.stringContaining('CMS 1') }
      expect(await of('sms:failed', bad.id)).toMatchObject(failed)
      const received = { message: 'Hi there', phoneNumber: '+447400200001', receivedAt: localTime }
      expect(await of('sms:received')).toMatchObject(received)

      for (const event of events.slice(1)) expect(await client.deleteWebhook(`npm-${event}`)).toBeUndefined()
      expect(await client.deleteWebhook('never-was')).toBeUndefined()
      expect((await client.getWebhooks()).map(({ id }) => id)).toEqual(['npm-sms:received'])
    })

    test('exports the inbox again with the same event ids', async () => {
      const [device] = await client.getDevices()
      const [first] = receiver.of('sms:received')
      const answer = await client.exportInbox({
        deviceId: device?.id ?? '',
        since: new Date(Date.now() - 3_600_000),
        until: new Date(Date.now() + 3_600_000),
      })
      expect(answer).toEqual({})
      const ids = await eventually(
        () => receiver.of('sms:received').map(({ id }) => id),
        (found) => found.length >= 2,
      )
      expect(new Set(ids)).toEqual(new Set([first?.id]))
    })

    test('settings: replaces, merges, accepts secrets and never returns them', async () => {
      await client.updateSettings({
        messages: {
          limitPeriod: 'PerHour' as never,
          limitValue: 1000,
          logLifetimeDays: 14,
          simSelectionMode: 'RoundRobin' as never,
        },
        webhooks: { internetRequired: false, retryCount: 3, signingKey: 'a key of the receiver' },
        gateway: { cloudUrl: '', privateToken: '' },
        encryption: { passphrase: '' },
        logs: { lifetimeDays: 7 },
      })
      await client.patchSettings({ ping: { intervalSeconds: 600 }, messages: { limitValue: 2000 } })
      const settings: unknown = await client.getSettings()
      expect(settings).toMatchObject({
        messages: {
          limit_period: 'PerHour',
          limit_value: 2000,
          log_lifetime_days: 14,
          sim_selection_mode: 'RoundRobin',
        },
        webhooks: { internet_required: false, retry_count: 3 },
        logs: { lifetime_days: 7 },
        ping: { interval_seconds: 600 },
      })
      expect(JSON.stringify(settings)).not.toContain('a key of the receiver')
    })

    test('health and logs have the declared types', async () => {
      const health = await client.getHealth()
      // On a busy machine, the relay warns that its event loop was delayed.
      const status = expect.stringMatching(/^(?:pass|warn)$/)
      expect(health).toMatchObject({ status, version: expect.any(String), releaseId: expect.any(Number) })
      for (const check of Object.values(health.checks))
        expect(check).toMatchObject({ observedValue: expect.any(Number), observedUnit: expect.any(String) })
      const hour = 3_600_000
      const logs = await eventually(
        () => client.getLogs(new Date(Date.now() - hour), new Date(Date.now() + hour)),
        (found) => found.length > 0,
      )
      for (const entry of logs) {
        expect(Number.isInteger(entry.id)).toBe(true)
        expect(['DEBUG', 'INFO', 'WARN', 'ERROR']).toContain(entry.priority)
        for (const value of Object.values(entry.context ?? {})) expect(typeof value).toBe('string')
      }
      expect((await client.getLogs()).length).toBeGreaterThan(0)
      expect(await client.getLogs(new Date(Date.now() + hour))).toEqual([])
    })

    test('an invalid request gets one error with code and message', async () => {
      const stranger = npmClient(place.url, { ...place.user, password: 'not the password' })
      await expect(stranger.getDevices()).rejects.toMatchObject({ code: 401, message: expect.any(String) })
      await expect(client.getState('never-was')).rejects.toMatchObject({ code: 404 })
      await expect(client.deleteDevice('never-was-a-device-000')).rejects.toMatchObject({ code: 404 })
    })

    test(`devices: lists${mode.includes('cloud') ? ' and deletes' : ', and keeps the built-in one'}`, async () => {
      const [device] = await client.getDevices()
      expect(device).toMatchObject({ id: expect.any(String), name: expect.any(String), lastSeen: expect.any(String) })
      for (const time of [device?.createdAt, device?.updatedAt, device?.lastSeen])
        expect(new Date(time ?? '').toISOString()).toBe(time)
      if (mode.includes('cloud')) {
        expect(await client.deleteDevice(device?.id ?? '')).toBeUndefined()
        expect((await client.getDevices()).filter(({ deletedAt }) => deletedAt == null)).toEqual([])
      } else {
        await expect(client.deleteDevice(device?.id ?? '')).rejects.toMatchObject({ code: 409 })
      }
    })
  })
}
