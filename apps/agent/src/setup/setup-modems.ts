import { setTimeout as sleep } from 'node:timers/promises'
import { type DataFolder, takeDataFolder } from '@smsgw/daemon/files/data-folder'
import { StartError } from '@smsgw/daemon/start-error'
import type { AgentConfig } from '../config.ts'
import { withoutVirtual } from '../doctor/checks/check-ports.ts'
import type { ModemExamination } from '../doctor/examine-modem.ts'
import { ModemsAlone } from '../doctor/modems-alone.ts'
import { wantedModems } from '../modem-addresses.ts'
import { webLoginOf } from '../ports/web-login.ts'
import type { ShownModem } from '../status/agent-status.ts'
import { askAgent, noAgentRuns } from '../status/ask-agent.ts'
import { TestByModem } from './test-by-modem.ts'
import type { TestMessages } from './test-messages.ts'
import { unlockAndSavePin } from './unlock-sim.ts'

/** The modems during a setup. The modems are used through the running agent, or directly while no agent is running. */
export interface SetupModems {
  /** Waits at most `limitMs` until the state of each modem is settled, and examines all modems. */
  examine(limitMs: number): Promise<readonly ModemExamination[]>
  /** Returns true if the PIN was accepted and saved. */
  unlock(port: string, pin: string): Promise<boolean>
  /** Sends the test message through the API. Undefined if this process has no access to the API. */
  testThrough(modem: ShownModem): TestMessages | undefined
  close(): Promise<void>
}

/** Uses the modems directly. `folder` is locked, so that no agent starts meanwhile. */
export async function useModemsAlone(config: AgentConfig, found: DataFolder | 'missing'): Promise<SetupModems> {
  const folder = found === 'missing' ? takeDataFolder(config.DATA_DIR) : found
  try {
    const modems = await ModemsAlone.open({
      dataDir: folder.path,
      wanted: withoutVirtual(wantedModems(config)),
      phoneNumberOf: (simNumber) => config.sims.get(simNumber)?.number,
      webLogin: webLoginOf(config),
    })
    return {
      examine: (limitMs) => modems.examine({ modemsMs: limitMs, absentMs: 5_000 }),
      unlock: (port, pin) => {
        const { actors } = modems
        const isPinSet = (simNumber: number) => config.sims.get(simNumber)?.pin !== undefined
        return unlockAndSavePin({ actors, areNumbersKept: actors.length === 1, isPinSet }, folder.path, { port, pin })
      },
      testThrough: ({ port = '' }) => new TestByModem(modems, port),
      async close() {
        await modems.close()
        folder.release()
      },
    }
  } catch (error) {
    folder.release()
    throw error
  }
}

/** Uses the modems through the running agent, which keeps their ports open. */
export function useRunningAgent(folder: string, testThrough: SetupModems['testThrough']): SetupModems {
  const examine = async () => {
    const found = await askAgent(folder, { ask: 'examine' })
    if (found === undefined) throw noAgentRuns(folder)
    return found
  }
  return {
    async examine(limitMs) {
      const until = performance.now() + limitMs
      for (;;) {
        const found = await examine()
        if (found.every(isSettled) || performance.now() > until) return found
        await sleep(500)
      }
    },
    async unlock(port, pin) {
      const isSaved = await askAgent(folder, { ask: 'unlock', port, pin })
      if (isSaved === undefined) throw new StartError('the agent has stopped')
      return isSaved
    },
    testThrough,
    close: async () => undefined,
  }
}

function isSettled({ isReady, blocked, status }: ModemExamination): boolean {
  return isReady || blocked !== undefined || status.state === 'absent'
}
