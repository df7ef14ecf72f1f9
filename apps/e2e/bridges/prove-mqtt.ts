import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../src/house/api-client.ts'
import { credentialsIn } from '../src/house/gateway.ts'
import { freePort } from '../src/house/machine/free-port.ts'
import { mainScripts } from '../src/house/machine/main-scripts.ts'
import { HouseProcess, logged } from '../src/house/machine/process.ts'
import { type BridgeProof, expectTexts, type ProofWorld } from './bridge-proof.ts'

/** Proves the bridge with Mosquitto as broker, and with Mosquitto's clients as programs that send and receive. */
export const mqttProof: BridgeProof = {
  subject: 'mqtt',
  packages: ['mosquitto', 'mosquitto-clients'],
  steps: [
    [
      'sends a message for a command',
      async (world) => {
        const { number, texts } = await world.newRecipient()
        const broker = await startBroker(world)
        await startBridge(world, broker)
        publish(world, broker, { to: number, text: 'Door open' })
        await eventually(texts, (found) => found.length > 0)
        expectTexts(await texts(), ['Door open'])
      },
    ],
  ],
}

interface Broker {
  readonly port: string
  readonly prefix: string
}

let brokers = 0

async function startBroker(world: ProofWorld): Promise<Broker> {
  brokers += 1
  const port = String(await freePort())
  const file = join(world.folder, `mosquitto-${brokers}.conf`)
  writeFileSync(file, `listener ${port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\nuser root\n`)
  const broker = world.programs.start('mosquitto', 'mosquitto', ['-c', file], world.folder)
  world.onEnd(() => broker.stop())
  await eventually(
    () => world.programs.run('mosquitto_pub', ['-h', '127.0.0.1', '-p', port, '-t', 'started', '-n']).status,
    (status) => status === 0,
  )
  return { port, prefix: `proof${brokers}` }
}

/** Starts the bridge as a separate program. */
async function startBridge(world: ProofWorld, { port, prefix }: Broker): Promise<void> {
  const { username, password } = credentialsIn(world.gateway().folder)
  const bridge = new HouseProcess('bridge', mainScripts.bridge, ['run'], {
    SMSGW_URL: world.gateway().url,
    SMSGW_USERNAME: username,
    SMSGW_PASSWORD: password,
    DATA_DIR: join(world.folder, prefix),
    MQTT_URL: `mqtt://127.0.0.1:${port}`,
    MQTT_PREFIX: prefix,
  })
  world.onEnd(() => bridge.stop())
  await bridge.said(logged('connected to the MQTT broker'))
}

function publish(world: ProofWorld, { port, prefix }: Broker, command: object): void {
  const args = [
    '-h',
    '127.0.0.1',
    '-p',
    port,
    '-V',
    '5',
    '-q',
    '1',
    '-t',
    `${prefix}/send`,
    '-m',
    JSON.stringify(command),
  ]
  const { status, output } = world.programs.run('mosquitto_pub', args)
  if (status !== 0) throw new Error(`mosquitto_pub: ${output}`)
}
