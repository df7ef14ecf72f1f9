// `npm run proof -- bridges [name…]`: sends messages with programs of other projects, from Debian packages, npm and
// PyPI. Downloads them into `.cache/debian-programs`, `.cache/npm-programs` and `.cache/python-programs`. A program
// that cannot be run on this machine is skipped, which is a failure without `--optional`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Gateway, newFolder } from '../src/house/gateway.ts'
import { freePort } from '../src/house/machine/free-port.ts'
import type { BridgeProof, ProofWorld, Recipient } from './bridge-proof.ts'
import { DebianPrograms } from './programs/debian-programs.ts'
import { NpmProgram } from './programs/npm-program.ts'
import { PythonProgram } from './programs/python-program.ts'
import { alertmanagerProof } from './prove-alertmanager.ts'
import { appriseProof } from './prove-apprise.ts'
import { emailProof } from './prove-email.ts'
import { icingaProof } from './prove-icinga.ts'
import { kannelProof } from './prove-kannel.ts'
import { mcpProof } from './prove-mcp.ts'
import { mqttProof } from './prove-mqtt.ts'
import { nagiosProof } from './prove-nagios.ts'
import { nodeRedProof } from './prove-node-red.ts'
import { originProof } from './prove-origin.ts'
import { pypiClientProof } from './prove-pypi-client.ts'

const proofs: readonly BridgeProof[] = [
  alertmanagerProof,
  nagiosProof,
  icingaProof,
  appriseProof,
  mqttProof,
  emailProof,
  kannelProof,
  nodeRedProof,
  mcpProof,
  pypiClientProof,
  originProof,
]

/** Null for a proof that needs no programs of other projects. */
type Programs = DebianPrograms | NpmProgram | PythonProgram | null

const { values, positionals } = parseArgs({ allowPositionals: true, options: { optional: { type: 'boolean' } } })
const names = positionals.filter((name) => name !== 'bridges')
const totals = { passed: 0, failed: 0, skipped: 0 }
const obstacle = DebianPrograms.obstacle()
for (const proof of proofs.filter(({ subject }) => names.length === 0 || names.includes(subject))) await prove(proof)
process.stdout.write(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`)
process.exit(totals.failed === 0 && (totals.skipped === 0 || values.optional) ? 0 : 1)

async function prove(proof: BridgeProof): Promise<void> {
  const programs = programsOf(proof)
  if (typeof programs === 'string') {
    totals.skipped += proof.steps.length
    process.stdout.write(`skip  ${proof.subject}: ${programs}\n`)
    return
  }
  const ends: (() => Promise<void>)[] = []
  try {
    const world = await startWorld(programs, ends)
    for (const [name, run] of proof.steps) {
      const beganAt = performance.now()
      try {
        await run(world)
        totals.passed += 1
        process.stdout.write(
          `ok    ${proof.subject}: ${name} (${((performance.now() - beganAt) / 1000).toFixed(1)} s)\n`,
        )
      } catch (error) {
        totals.failed += 1
        process.stdout.write(`FAIL  ${proof.subject}: ${name}: ${error instanceof Error ? error.stack : error}\n`)
      }
    }
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

/** Returns the programs, or why they cannot be installed. */
function programsOf({ packages, npm, pypi }: BridgeProof): Programs | string {
  try {
    if (npm !== undefined) return new NpmProgram(npm)
    if (pypi !== undefined) return new PythonProgram(pypi)
    if (packages.length === 0) return null
    return obstacle ?? new DebianPrograms(packages)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function startWorld(programs: Programs, ends: (() => Promise<void>)[]): Promise<ProofWorld> {
  const data = newFolder()
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-bridges-'))
  const settings = { PORT: String(await freePort()) }
  let gateway = await Gateway.start(settings, { folder: data })
  ends.push(async () => {
    await gateway.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  await gateway.untilReady()
  let recipients = 0
  return {
    get programs() {
      if (programs instanceof DebianPrograms) return programs
      throw new Error('the proof has no Debian packages')
    },
    get npm() {
      if (programs instanceof NpmProgram) return programs
      throw new Error('the proof has no program from npm')
    },
    get python() {
      if (programs instanceof PythonProgram) return programs
      throw new Error('the proof has no packages from PyPI')
    },
    folder,
    gateway: () => gateway,
    async restart(meanwhile) {
      await gateway.process.kill()
      await meanwhile()
      gateway = await Gateway.start(settings, { folder: data })
      await gateway.untilReady()
    },
    async newRecipient() {
      recipients += 1
      return await createRecipient(() => gateway, `+4474001234${String(recipients).padStart(2, '0')}`)
    },
    onEnd: (end) => void ends.push(end),
  }
}

async function createRecipient(gateway: () => Gateway, number: string): Promise<Recipient> {
  const body = { name: 'proof', scopes: ['messages:send'], limits: { recipients: [number] } }
  const { json } = await gateway().api.ask('POST', '/keys', body)
  return {
    key: json.key,
    number,
    async texts() {
      const { json } = await gateway().api.ask('GET', '/messages?includeContent=true&sort=created_at&limit=100')
      const messages = json as { recipients: { phoneNumber: string }[]; textMessage: { text: string } }[]
      return messages
        .filter(({ recipients }) => recipients.some(({ phoneNumber }) => phoneNumber === number))
        .map(({ textMessage }) => textMessage.text)
    },
  }
}
