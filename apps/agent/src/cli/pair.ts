import { randomUUID } from 'node:crypto'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandLine } from '@smsgw/daemon/command-line'
import { takeDataFolder } from '@smsgw/daemon/files/data-folder'
import { StartError } from '@smsgw/daemon/start-error'
import { printable } from '@smsgw/daemon/terminal/printable'
import { startCommand } from '@smsgw/daemon/user-command'
import { VERSION } from '@smsgw/daemon/version'
import { newAgent } from '@smsgw/link/agent/state'
import { type AgentConfig, checkedRelayUrl } from '../config.ts'
import { deviceKeysFile } from '../encryption/device-keys.ts'
import { AgentIdentity, identityFile } from '../link/agent-identity.ts'
import { AgentLink } from '../link/agent-link.ts'
import { webSocketTo } from '../link/web-socket.ts'
import { monotonicClock } from '../time/monotonic-clock.ts'

/**
 * Pairs this machine with the account that issued the code. With `--again`, a paired machine becomes a new device; the
 * journal and the encryption keys of the previous device are renamed, and nothing is sent from the journal.
 */
export async function pair(config: AgentConfig, { values, positionals }: CommandLine): Promise<void> {
  const [url = '', code = ''] = positionals
  const relayUrl = checkedRelayUrl(url, config.ALLOW_INSECURE_HTTP)
  const folder = takeDataFolder(config.DATA_DIR)
  const file = join(folder.path, identityFile)
  const previous = AgentIdentity.load(file).relay
  if (previous !== undefined && values['again'] !== true) {
    throw new StartError(
      `already paired as device ${previous.deviceId} of ${previous.url}. Use \`pair --again …\` to pair as a new device`,
    )
  }
  const next = previous === undefined ? file : `${file}.next`
  rmSync(`${file}.next`, { force: true })
  const deviceId = await requestPairing(AgentIdentity.load(next), relayUrl, code, config.DEVICE_NAME)
  if (previous !== undefined) {
    setFilesAside(folder.path, previous.deviceId)
    renameSync(next, file)
  }
  process.stdout.write(`Paired as device ${printable(deviceId)}. Start the agent with \`${startCommand('agent')}\`.\n`)
}

/**
 * Renames the files before the identity changes. If the process ends between the two steps, the old identity has no
 * journal and so sends nothing. If the identity changed first, the new identity could send messages from the old
 * journal.
 */
function setFilesAside(folder: string, deviceId: string): void {
  for (const name of ['journal.db', 'journal.db-wal', 'journal.db-shm']) {
    const from = join(folder, name)
    if (existsSync(from)) renameSync(from, join(folder, name.replace('journal', `journal-of-${deviceId}`)))
  }
  const keys = join(folder, deviceKeysFile)
  if (existsSync(keys)) renameSync(keys, join(folder, deviceKeysFile.replace('keys', `keys-of-${deviceId}`)))
}

function requestPairing(identity: AgentIdentity, relayUrl: string, code: string, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const nothing = async () => undefined
    const link = new AgentLink({
      clock: monotonicClock,
      random: Math.random,
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
        // Pairing needs no journal; `agent run` creates it.
        journal: { id: 'none' },
        marks: { first: 1, tail: 0, mark: 0 },
      }),
      identity: {
        sign: (text) => identity.sign(text),
        keep: async (deviceId) => {
          identity.keep({ url: relayUrl, deviceId })
          link.stop()
          resolve(deviceId)
        },
      },
      journal: {
        tagOf: nothing,
        events: async (from) => ({ from, events: [] }),
        recordMark: nothing,
        renounce: () => Promise.reject(new Error('pairing has no journal')),
      },
      commands: { take: async () => [], openSends: () => 0 },
      listener: {
        onSettings: () => undefined,
        onConnected: () => undefined,
        onDisconnected: (_, why, reason) => {
          link.stop()
          reject(new StartError(`not paired (${why}): ${reason || 'cannot reach the relay'}`))
        },
        onError: reject,
      },
    })
    link.start()
  })
}
