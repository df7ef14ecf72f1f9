import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLog } from '@smsgw/daemon/log/log'
import { connectAsync, type MqttClient } from 'mqtt'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openState } from '../state/bridge-state.ts'
import { steadyNow } from '../state/steady-clock.ts'
import { ScriptedAccount } from '../testing/account.ts'
import { hasMosquitto, Mosquitto } from '../testing/mosquitto.ts'
import { type MqttBridge, startMqttBridge } from './start-mqtt-bridge.ts'

const withBroker = test.skipIf(!hasMosquitto)
let broker: Mosquitto
let client: MqttClient
let folder: string
let account: ScriptedAccount
let prefix: string
let tests = 0
const seen: { topic: string; json: Record<string, unknown> }[] = []
const on = (topic: string) => seen.filter((each) => each.topic === `${prefix}/${topic}`).map(({ json }) => json)

beforeAll(async () => {
  if (!hasMosquitto) return
  broker = await Mosquitto.start()
  client = await connectAsync(broker.url, { protocolVersion: 5, clientId: 'test', clean: false, reconnectPeriod: 100 })
  client.on('message', (topic, payload) => {
    const text = payload.toString()
    seen.push({ topic, json: text.startsWith('{') ? JSON.parse(text) : { text } })
  })
})
afterAll(async () => {
  await client?.endAsync()
  await broker?.stop()
})
beforeEach(async () => {
  tests += 1
  prefix = `test${tests}`
  folder = mkdtempSync(join(tmpdir(), 'smsgw-mqtt-'))
  account = new ScriptedAccount()
  if (hasMosquitto) await client.subscribeAsync([`${prefix}/#`, `ha${tests}/#`], { qos: 2 })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function start(): Promise<MqttBridge> {
  const database = openState(folder)
  const bridge = startMqttBridge({
    config: {
      MQTT_URL: broker.url,
      MQTT_CA_FILE: undefined,
      MQTT_PREFIX: prefix,
      MQTT_DISCOVERY_PREFIX: `ha${tests}`,
      MQTT_CONTACTS: [],
    },
    api: account.client(),
    commandApi: account.client(),
    database,
    now: steadyNow,
    log: openLog('fatal', process.stdout),
  })
  await expect.poll(() => on('account').at(-1)).toEqual({ text: 'online' })
  return {
    ...bridge,
    async stop() {
      await bridge.stop()
      database.close()
    },
  }
}

const command = (json: object, properties = {}) =>
  client.publishAsync(`${prefix}/send`, JSON.stringify(json), { qos: 1, properties })

withBroker('sends commands, and publishes result and states', async () => {
  const bridge = await start()
  await command({ to: '+447400123456', text: 'Hello', id: 'door-1' })
  await expect.poll(() => on('result')).toEqual([{ id: 'door-1', accepted: true, messageId: 'out-1' }])
  account.setState('out-1', 'Sent')
  account.setState('out-1', 'Delivered')
  await expect.poll(() => on('status').map((event) => event['event_type'])).toContain('delivered')
  await command({ to: '+447400123456', text: 'Hello', id: 'door-1' })
  await expect.poll(() => on('result').length).toBe(2)
  expect(account.sent).toHaveLength(1)
  await bridge.stop()
})

withBroker('answers to the response topic with the correlation data', async () => {
  const bridge = await start()
  const answer = new Promise<Buffer | undefined>((resolve) => {
    client.on('message', (topic, _, packet) => {
      if (topic === `${prefix}/answers`) resolve(packet.properties?.correlationData)
    })
  })
  const correlationData = Buffer.from([1, 0, 2])
  await command({ to: '+447400123456', text: 'x' }, { responseTopic: `${prefix}/answers`, correlationData })
  expect(await answer).toEqual(correlationData)
  await bridge.stop()
})

withBroker('publishes no answer to topics that only the bridge may use', async () => {
  const bridge = await start()
  await client.subscribeAsync(`foreign${tests}/#`, { qos: 1 })
  const to = '+447400123456'
  await command({ to, text: 'x', id: 'a' }, { responseTopic: `foreign${tests}/answers` })
  await command({ to, text: 'x', id: 'b' }, { responseTopic: `${prefix}/received` })
  await command({ to, text: 'x', id: 'c' }, { responseTopic: `${prefix}/device/pi/state` })
  await command({ to, text: 'x', id: 'd' }, { responseTopic: `${prefix}/answers/1` })
  await expect.poll(() => on('answers/1').map(({ id }) => id)).toEqual(['d'])
  // The broker may deliver the result, which has another QoS, after the answer.
  await expect.poll(() => on('result').map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd'])
  expect(seen.filter(({ topic }) => topic === `foreign${tests}/answers`)).toEqual([])
  expect([...on('received'), ...on('device/pi/state')]).toEqual([])
  await bridge.stop()
})

withBroker('the broker keeps the commands that a full queue does not take', async () => {
  const bridge = await start()
  account.isDown = true
  await command({ to: '+447400123456', text: 'first' })
  const database = openState(folder)
  await expect.poll(() => database.prepare('SELECT number FROM mqtt_commands').all()).toHaveLength(1)
  database.exec(`INSERT INTO mqtt_commands (key, command)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
    SELECT 'key' || i, '{"payload":""}' FROM n`)
  await client.publishAsync(`${prefix}/send`, '{"to":"+447400123456","text":"x","id":"lost"}', { qos: 0 })
  await expect.poll(() => on('result')).toMatchObject([{ id: 'lost', accepted: false }])
  const texts = Array.from({ length: 250 }, (_, at) => `text ${at}`)
  for (const text of texts) await command({ to: '+447400123456', text, id: text })
  database.exec('DELETE FROM mqtt_commands WHERE number > 1')
  database.close()
  account.isDown = false
  await expect.poll(() => account.sent.map(({ text }) => text)).toEqual(['first', ...texts])
  await bridge.stop()
})

withBroker('refuses wrong commands with a reason and continues', async () => {
  const bridge = await start()
  await client.publishAsync(`${prefix}/send`, 'Hello', { qos: 1 })
  await client.publishAsync(`${prefix}/send`, Buffer.alloc(200_000, 'x'), { qos: 1 })
  await command({ to: '+447400123456', text: 'retained', id: 'old' }, {})
  await command({ to: 'nobody', text: 'x', id: 'wrong' })
  await command({ to: '+447400123456', text: 'good', id: 'good' })
  await expect.poll(() => on('result').at(-1)?.['id']).toBe('good')
  expect(on('result').map(({ id, accepted }) => [id, accepted])).toEqual([
    [null, false],
    ['old', true],
    ['wrong', false],
    ['good', true],
  ])
  await bridge.stop()
})

withBroker('ignores a retained command that was published while the bridge was away', async () => {
  await client.publishAsync(`${prefix}/send`, '{"to":"+447400123456","text":"again"}', { qos: 1, retain: true })
  const bridge = await start()
  await command({ to: '+447400123456', text: 'new', id: 'new' })
  await expect.poll(() => on('result')).toHaveLength(1)
  expect(account.sent.map(({ text }) => text)).toEqual(['new'])
  await bridge.stop()
})

withBroker('commands and received messages from the time of a stop are passed on once', async () => {
  const first = await start()
  account.receive('one')
  await expect.poll(() => on('received').map(({ text }) => text)).toEqual(['one'])
  await first.stop()
  expect(on('availability').at(-1)).toEqual({ text: 'offline' })
  await command({ to: '+447400123456', text: 'kept by the broker' })
  account.receive('two')
  const second = await start()
  await expect.poll(() => account.sent.map(({ text }) => text)).toEqual(['kept by the broker'])
  await expect.poll(() => on('received').map(({ text }) => text)).toEqual(['one', 'two'])
  await second.stop()
})

withBroker('commands wait while the API is unreachable, and are sent in their order', async () => {
  const bridge = await start()
  account.isDown = true
  for (const text of ['one', 'two', 'three']) await command({ to: '+447400123456', text })
  account.isDown = false
  await expect.poll(() => account.sent.map(({ text }) => text)).toEqual(['one', 'two', 'three'])
  await bridge.stop()
})

withBroker('survives a restart of the broker without losing or repeating a message', async () => {
  const bridge = await start()
  account.receive('before')
  await expect.poll(() => on('received')).toHaveLength(1)
  await broker.pause()
  account.receive('during')
  await broker.resume()
  account.receive('after')
  await expect.poll(() => on('received').map(({ text }) => text)).toEqual(['before', 'during', 'after'])
  await expect.poll(() => on('availability').at(-1)).toEqual({ text: 'online' })
  await bridge.stop()
})

withBroker('announces devices, again when Home Assistant starts, and removes those that are gone', async () => {
  const announced = (id: string) => seen.filter(({ topic }) => topic === `ha${tests}/device/${prefix}_${id}/config`)
  account.devices = [deviceNamed('pi')]
  const bridge = await start()
  await expect.poll(() => announced('pi').length).toBe(1)
  await client.publishAsync(`ha${tests}/status`, 'online', { qos: 1 })
  await expect.poll(() => announced('pi').length).toBe(2)
  account.devices = []
  await bridge.stop()
  const second = await start()
  await expect.poll(() => announced('pi').at(-1)?.json).toEqual({ text: '' })
  await second.stop()
})

function deviceNamed(id: string) {
  const at = new Date().toISOString()
  return {
    ...{ id, name: id, createdAt: at, updatedAt: at, lastSeen: at, online: true },
    ...{ queue: { pending: 0, processed: 0 }, simCards: [], modems: [], lastErrors: [] },
  }
}
