import { randomUUID } from 'node:crypto'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { asStarted } from '@smsgw/daemon/as-typed'
import { takeDataFolder } from '@smsgw/daemon/data-folder'
import { StartError } from '@smsgw/daemon/start-error'
import { newAgent } from '@smsgw/link/agent-state'
import { type AgentConfig, checkedRelayUrl } from '../config.ts'
import { AgentIdentity, identityFile } from '../link/agent-identity.ts'
import { AgentLink } from '../link/agent-link.ts'
import { webSocketTo } from '../link/web-socket.ts'
import { printable } from '../modem-tool/printable.ts'
import { monotonicClock } from '../monotonic-clock.ts'
import { VERSION } from '../version.ts'
import { readArguments } from './read-arguments.ts'

/**
 * Makes this machine a device of the account that gave the code. One that is a device already becomes another with
 * `--again`: what its journal holds belongs to the former, so it is put aside, and nothing is sent from it.
 */
export async function pair(config: AgentConfig, args: readonly string[]): Promise<void> {
  const { values, words } = readArguments(
    'pair [--again] <url> <code>; the code is from POST /3rdparty/v1/devices/codes',
    args,
    { again: { type: 'boolean' } },
    { least: 2, most: 2 },
  )
  const [url = '', code = ''] = words
  const relayUrl = checkedRelayUrl(url, config.ALLOW_INSECURE_HTTP)
  const folder = takeDataFolder(config.DATA_DIR)
  const file = join(folder.path, identityFile)
  const former = AgentIdentity.load(file).relay
  if (former !== undefined && values['again'] !== true) {
    throw new StartError(
      `this agent is device ${former.deviceId} of ${former.url} already: \`pair --again …\` makes it another one`,
    )
  }
  const next = former === undefined ? file : `${file}.next`
  rmSync(`${file}.next`, { force: true })
  const deviceId = await paired(AgentIdentity.load(next), relayUrl, code, config.DEVICE_NAME)
  if (former !== undefined) {
    putAside(folder.path, former.deviceId)
    renameSync(next, file)
  }
  process.stdout.write(`paired: this is device ${printable(deviceId)}. Start it with \`${asStarted('agent')}\`.\n`)
}

/** The journal goes first: an identity without its journal sends nothing by mistake, the other way round it might. */
function putAside(folder: string, deviceId: string): void {
  for (const name of ['journal.db', 'journal.db-wal', 'journal.db-shm']) {
    const from = join(folder, name)
    if (existsSync(from)) renameSync(from, join(folder, name.replace('journal', `journal-of-${deviceId}`)))
  }
}

function paired(identity: AgentIdentity, relayUrl: string, code: string, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const nothing = async () => undefined
    const link = new AgentLink({
      clock: monotonicClock,
      chance: Math.random,
      openSocket: webSocketTo(relayUrl),
      state: newAgent({
        agent: {
          bootId: randomUUID(),
          agentVersion: VERSION,
          publicKey: identity.publicKey,
          name,
          isClockSynchronised: true,
          sims: [],
        },
        identity: { credential: code },
        // It never says hello: the journal is begun by the agent itself.
        journal: { id: 'none' },
        marks: { first: 1, tail: 0, mark: 0 },
      }),
      sign: (text) => identity.sign(text),
      keepIdentity: async (deviceId) => {
        identity.keep({ url: relayUrl, deviceId })
        link.stop()
        resolve(deviceId)
      },
      journal: { tagOf: nothing, events: async (from) => ({ from, events: [] }), recordMark: nothing },
      takeCommands: async () => [],
      renounce: () => Promise.reject(new Error('nothing to renounce')),
      openSends: () => 0,
      onSettings: () => undefined,
      onConnected: () => undefined,
      onDisconnected: (_, why, reason) => {
        link.stop()
        reject(new StartError(`not paired (${why}): ${reason || 'the relay could not be reached'}`))
      },
      onTrouble: reject,
    })
    link.start()
  })
}
