import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { takeDataFolder } from '@smsgw/daemon/data-folder'
import { StartError } from '@smsgw/daemon/start-error'
import { newAgent } from '@smsgw/link/agent-state'
import { type AgentConfig, checkedRelayUrl } from '../config.ts'
import { AgentIdentity, identityFile } from '../link/agent-identity.ts'
import { AgentLink } from '../link/agent-link.ts'
import { webSocketTo } from '../link/web-socket.ts'
import { monotonicClock } from '../monotonic-clock.ts'
import { VERSION } from '../version.ts'

/** Makes this machine a device of the account that gave the code. */
export async function pair(config: AgentConfig, url: string | undefined, code: string | undefined): Promise<void> {
  if (url === undefined || code === undefined) {
    throw new StartError('usage: npm run agent -- pair <url> <code>; the code is from POST /3rdparty/v1/devices/codes')
  }
  const relayUrl = checkedRelayUrl(url, config.ALLOW_INSECURE_HTTP)
  const folder = takeDataFolder(config.DATA_DIR)
  const identity = AgentIdentity.load(join(folder.path, identityFile))
  if (identity.relay !== undefined) {
    throw new StartError(
      `this agent is device ${identity.relay.deviceId} of ${identity.relay.url} already: delete the device there and ${join(folder.path, identityFile)} here to pair it anew`,
    )
  }
  const deviceId = await paired(identity, relayUrl, code, config.DEVICE_NAME)
  process.stdout.write(`paired: this is device ${deviceId}. Start it with \`npm run agent -- run\`.\n`)
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
