// Measures the bundled agent with one modem, as a service runs it: its start time, and its memory at rest after
// traffic.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { eventually } from '../src/house/api-client.ts'
import { House } from '../src/house/house.ts'
import { mainScripts } from '../src/house/machine/main-scripts.ts'
import { residentMiB } from '../src/house/machine/memory.ts'
import { HouseProcess, logged, ROOT } from '../src/house/machine/process.ts'

const { values } = parseArgs({ options: { messages: { type: 'string', default: '200' } } })
const messages = Number(values.messages)
const print = (line: string) => process.stdout.write(`${line}\n`)
/** The Node flags from the unit of the agent. */
const flags = /^ExecStart=.* node ((?:--\S+ )*)apps/m.exec(
  readFileSync(`${ROOT}apps/agent/system/smsgw-agent.service`, 'utf8'),
)?.[1]

const house = await House.start()
try {
  const starts: number[] = []
  for (let round = 0; round < 5; round += 1) {
    await house.agent?.stop()
    const beganAt = performance.now()
    house.agent = new HouseProcess(
      'bundled agent',
      process.execPath,
      [...(flags ?? '').split(' ').filter(Boolean), mainScripts.agent, 'run'],
      {
        DATA_DIR: `${house.folder}/agent`,
        RELAY_URL: house.relayUrl.replace('http', 'ws'),
        MODEMS: house.emulator.pty(),
      },
      { folder: ROOT },
    )
    await house.agent.said(logged('connected to the relay'))
    starts.push(performance.now() - beganAt)
    await house.untilReady()
  }
  starts.sort((one, other) => one - other)
  print(`bundled agent, from its start until the relay has it, median of 5: ${starts[2]?.toFixed(0)} ms (aim: 1000 ms)`)
  await atRest('with its modem')
  await traffic()
  await atRest(`after ${messages} messages each way`)
} finally {
  await house.stop()
}
process.exit(0)

async function atRest(when: string): Promise<void> {
  await sleep(15_000)
  const residentMB = (residentMiB(house.agent?.pid ?? 0) * 1.048_576).toFixed(1)
  print(`bundled agent, memory at rest, ${when}: ${residentMB} MB (aim: 90 MB)`)
}

async function traffic(): Promise<void> {
  for (let at = 0; at < messages; at += 1) {
    await house.api.send({ phoneNumbers: [`+4474005${10_000 + at}`], textMessage: { text: `out ${at}` } })
    await house.emulator.instruct('send-text', { from: '+447400900001', to: 'modem0', text: `in ${at}` })
  }
  const isAll = (found: readonly unknown[]) => found.length >= messages
  await eventually(() => house.emulator.ledger(), isAll, 120_000)
}
