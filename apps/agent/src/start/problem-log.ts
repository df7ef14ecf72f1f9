import type { AgentLog } from './agent-options.ts'

/** Logs a problem once, until it is resolved or its description changes. */
export class ProblemLog {
  /** The unresolved problem. */
  current: string | undefined
  readonly #write: (problem: string) => void

  constructor(write: (problem: string) => void) {
    this.#write = write
  }

  report(problem: string): void {
    if (problem === this.current) return
    this.current = problem
    this.#write(problem)
  }

  resolved(): void {
    this.current = undefined
  }
}

/** The problems that the parts of an agent report. */
export interface AgentProblems {
  readonly journal: ProblemLog
  readonly link: ProblemLog
  readonly settings: ProblemLog
  readonly onJournalError: (error: Error) => void
  /** An error without lasting effect: logged each time. */
  readonly onError: (error: unknown) => void
}

export function agentProblems(log: AgentLog): AgentProblems {
  const journal = new ProblemLog((problem) => log.error(problem))
  return {
    journal,
    link: new ProblemLog((problem) => log.warn(problem)),
    settings: new ProblemLog((problem) => log.warn(problem)),
    onJournalError: (error) => journal.report(error.message),
    onError: (error) => log.error(error instanceof Error ? error.message : String(error)),
  }
}
