import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { Gateway } from './house/gateway.ts'
import { House } from './house/house.ts'
import { freePort } from './house/machine/free-port.ts'
import { mainScripts } from './house/machine/main-scripts.ts'
import { HouseProcess, logged } from './house/machine/process.ts'

// Needs the packages mosquitto and mosquitto-clients, with which the tests use a real broker and real clients.
const hasMosquitto = spawnSync('mosquitto', ['-h']).error === undefined && !spawnSync('mosquitto_pub').error
const withBroker = test.skipIf(!hasMosquitto)

const NUMBER = '+447400123456'
/** `BRIDGE_MESSAGES=1000` makes the test longer. */
const COUNT = Number(process.env['BRIDGE_MESSAGES'] ?? 150)
let folder: string
let port: string
let broker: HouseProcess

beforeAll(async () => {
  if (!hasMosquitto) return
  folder = mkdtempSync(join(tmpdir(), 'smsgw-mqtt-'))
  port = String(await freePort())
  const settings = [
    `listener ${port} 127.0.0.1`,
    'allow_anonymous true',
    'persistence true',
    `persistence_location ${folder}/`,
    'max_queued_messages 0',
    'user root',
  ]
  writeFileSync(join(folder, 'mosquitto.conf'), `${settings.join('\n')}\n`)
  broker = new HouseProcess('mosquitto', 'mosquitto', ['-c', join(folder, 'mosquitto.conf')], {}, { folder: '/' })
  await eventually(
    () => spawnSync('mosquitto_pub', [...address(), '-t', 'started', '-n']).status,
    (status) => status === 0,
  )
})
afterAll(async () => {
  await broker?.stop()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
})

const address = () => ['-h', '127.0.0.1', '-p', port]

/** Subscribes with a session, so that no message is missed. Each message is one line of the output. */
async function subscribe(topic: string): Promise<HouseProcess> {
  const args = [...address(), '-V', '5', '-q', '2', '-c', '-i', topic.replace('/', '-'), '-t', topic]
  // The first client ends when the broker has stored the session.
  expect(spawnSync('mosquitto_sub', [...args, '-E']).status).toBe(0)
  return new HouseProcess(topic, 'mosquitto_sub', args, {}, { folder: '/' })
}

/** Publishes each line as a message, in the background. */
function publish(topic: string, lines: readonly string[]) {
  const publisher = spawn('mosquitto_pub', [...address(), '-V', '5', '-q', '1', '-l', '-t', topic])
  publisher.stdin.end(lines.map((line) => `${line}\n`).join(''))
  return once(publisher, 'close')
}

withBroker(
  'commands and received messages pass once, while bridge, relay and PostgreSQL are killed in the middle of them',
  async () => {
    const house = await House.start({ agent: { MESSAGE_LIFE_SECONDS: '3600' } })
    const settings = {
      SMSGW_URL: house.relayUrl,
      SMSGW_USERNAME: house.user.username,
      SMSGW_PASSWORD: house.user.password,
      DATA_DIR: join(folder, 'bridge'),
      MQTT_URL: `mqtt://127.0.0.1:${port}`,
      MQTT_PREFIX: 'killed',
    }
    mkdirSync(settings.DATA_DIR)
    const startBridge = () => new HouseProcess('bridge', mainScripts.bridge, ['run'], settings)
    let bridge = startBridge()
    try {
      await bridge.said(logged('following the events'))
      await bridge.said(logged('connected to the MQTT broker'))
      const [received, results] = await Promise.all([subscribe('killed/received'), subscribe('killed/result')])

      const outgoing = Array.from({ length: COUNT }, (_, at) => `out ${at}`)
      const published = publish(
        'killed/send',
        outgoing.map((text) => JSON.stringify({ to: NUMBER, text })),
      )
      const incoming = Array.from({ length: COUNT }, (_, at) => `in ${at}`)
      const arriving = (async () => {
        for (const text of incoming)
          await house.emulator.instruct('send-text', { to: '+447700900001', from: NUMBER, text })
      })()
      for (const round of [1, 2, 3]) {
        await eventually(
          () => results.lines.length,
          (count) => count >= (round * COUNT) / 5,
          300_000,
        )
        if (round === 3) house.killDatabase()
        await bridge.kill()
        if (round === 2) {
          await house.relay.kill()
          bridge = startBridge()
          await house.restartRelay()
        } else bridge = startBridge()
      }
      await Promise.all([published, arriving])

      const texts = (process: HouseProcess) => process.lines.map((line) => (JSON.parse(line) as { text: string }).text)
      await eventually(
        () => received.lines.length,
        (count) => count >= COUNT,
        300_000,
      )
      expect(texts(received).toSorted()).toEqual(incoming.toSorted())
      await eventually(
        () => results.lines.length,
        (count) => count >= COUNT,
        300_000,
      )
      const accepted = results.lines.map((line) => JSON.parse(line) as { accepted: boolean; messageId: string })
      expect(accepted.filter((result) => result.accepted)).toHaveLength(COUNT)
      expect(new Set(accepted.map(({ messageId }) => messageId)).size).toBe(COUNT)
      await eventually(
        () => house.emulator.ledgerLength(),
        (count) => count >= COUNT,
        300_000,
      )
      const onAir = house.emulator.ledger().map(({ text }) => text)
      expect(onAir.toSorted()).toEqual(outgoing.toSorted())
      await Promise.all([received.stop(), results.stop()])
    } finally {
      await bridge.stop()
      await house.stop()
    }
  },
)

withBroker('a gateway with MQTT_URL sends commands, publishes received messages and announces its device', async () => {
  const gateway = await Gateway.start({
    MQTT_URL: `mqtt://127.0.0.1:${port}`,
    MQTT_PREFIX: 'local',
    MQTT_CONTACTS: `Anna=${NUMBER}`,
  })
  try {
    await gateway.untilReady()
    const [received, discovery] = await Promise.all([
      subscribe('local/received'),
      subscribe('homeassistant/device/local/config'),
    ])
    await eventually(
      () => discovery.lines.length,
      (count) => count > 0,
    )
    const { cmps } = JSON.parse(discovery.lines[0] ?? '') as { cmps: Record<string, { command_topic?: string }> }
    expect(cmps['notify_Anna']?.command_topic).toBe('local/send')
    // A message to this number of the virtual network is answered with the same text.
    await publish('local/send', [JSON.stringify({ to: '+12025550121', text: 'From MQTT' })])
    const answer = await received.said((line) => JSON.parse(line) as { from: string; text: string })
    expect(answer).toMatchObject({ from: '+12025550121', text: 'From MQTT' })
    await Promise.all([received.stop(), discovery.stop()])
  } finally {
    await gateway.stop()
  }
})

withBroker('doctor checks the API and the broker, and says how to fix problems', async () => {
  const gateway = await Gateway.start()
  try {
    const { username, password } = JSON.parse(readFileSync(join(gateway.folder, 'credentials.json'), 'utf8'))
    const doctor = async (settings: Record<string, string>) => {
      const run = new HouseProcess('doctor', mainScripts.bridge, ['doctor'], {
        SMSGW_URL: gateway.url,
        SMSGW_USERNAME: username,
        SMSGW_PASSWORD: password,
        MQTT_URL: `mqtt://127.0.0.1:${port}`,
        ...settings,
      })
      return { code: await run.ended(), lines: run.lines }
    }
    const good = await doctor({})
    expect([good.code, good.lines.map((line) => line.slice(0, 2))]).toEqual([0, ['ok', 'ok', 'ok', 'ok']])
    const bad = await doctor({ MQTT_URL: 'mqtt://127.0.0.1:9', SMSGW_PASSWORD: 'wrong' })
    expect(bad.code).toBe(1)
    expect(bad.lines.filter((line) => line.startsWith('problem'))).toHaveLength(4)
    expect(bad.lines.join('\n')).toContain('check MQTT_URL, username and password')
  } finally {
    await gateway.stop()
  }
})
