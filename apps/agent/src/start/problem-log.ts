import { describeDiskOf } from '@smsgw/daemon/files/disk-space'
import type { WriteWatch } from '../journal/keep-writing.ts'
import type { AgentLog } from './agent-options.ts'

/** Logs a problem when it begins, and again only after it was resolved or after another kind of problem. */
export class ProblemLog {
  /** The unresolved problem. */
  current: string | undefined
  #kind: string | undefined
  readonly #write: (problem: string) => void

  constructor(write: (problem: string) => void) {
    this.#write = write
  }

  /**
   * @param kind identifies the problem if its description contains a value that changes, such as the free space of a
   * disk
   */
  report(problem: string, kind = problem): void {
    this.current = problem
    if (kind === this.#kind) return
    this.#kind = kind
    this.#write(problem)
  }

  resolved(): void {
    this.current = undefined
    this.#kind = undefined
  }
}

/** The problems that the components of an agent report. */
export interface AgentProblems {
  readonly journal: ProblemLog
  readonly link: ProblemLog
  readonly settings: ProblemLog
  /**
   * Returns a watch for one writer. The problem is resolved when every writer has repeated its failed writes
   * successfully.
   */
  readonly journalWrites: () => WriteWatch
  /** Logs each occurrence of an error that has no lasting effect. */
  readonly onError: (error: unknown) => void
}

/** @param dataDir the folder of the journal */
export function agentProblems(log: AgentLog, dataDir: string): AgentProblems {
  const journal = new ProblemLog((problem) => log.error(problem))
  const failing = new Set<object>()
  return {
    journal,
    link: new ProblemLog((problem) => log.warn(problem)),
    settings: new ProblemLog((problem) => log.warn(problem)),
    journalWrites: () => {
      const part = {}
      return {
        onProblem(error) {
          // A refused change is not retried, so it must not count as a problem that is resolved later.
          if (error.reason === 'refused') return log.error(error.message)
          failing.add(part)
          journal.report(error.message, error.reason === 'full' ? 'disk full' : error.message)
        },
        onRecovered() {
          failing.delete(part)
          if (failing.size > 0 || journal.current === undefined) return
          journal.resolved()
          log.info(`journal is working again, all changes are on disk: ${describeDiskOf(dataDir)}`)
        },
      }
    },
    onError: (error) => log.error(error instanceof Error ? error.message : String(error)),
  }
}
