import type { CommandError } from '../../dialogue/errors/command-error.ts'
import { integerOf, parameterText, parseParameters } from '../../wire/at-parameters.ts'
import { lastWith, type Query, type QueryAnswer } from '../query.ts'

/** The operator to register with: the country and network codes, or any operator that the SIM allows. */
export type OperatorChoice =
  | 'automatic'
  | {
      /** `26202`: five or six digits. */
      readonly code: string
      /** True if the modem may use another operator while this operator is not available. */
      readonly mayFallBack: boolean
    }

export type OperatorSelection =
  /** Nothing was changed, because the modem already used this operator. */
  | { readonly kind: 'kept' }
  | { readonly kind: 'selected' }
  | { readonly kind: 'refused'; readonly error: CommandError }
  | { readonly kind: 'no-answer' }

/**
 * Selects the operator (27.007 §7.3), unless the modem already uses this operator, because a selection interrupts the
 * registration. Some modems do not store the selection, and lose it when they restart.
 */
export async function selectOperator(
  ask: <T>(query: Query<T>) => Promise<QueryAnswer<T>>,
  choice: OperatorChoice,
): Promise<OperatorSelection> {
  await ask(showCodes)
  try {
    const current = await ask(readSelection)
    if (current.kind === 'value' && isChosen(current.value, choice)) return { kind: 'kept' }
    const answer = await ask(selection(choice))
    if (answer.kind === 'value') return { kind: 'selected' }
    return answer.kind === 'refused' ? { kind: 'refused', error: answer.error } : { kind: 'no-answer' }
  } finally {
    await ask(showNames)
  }
}

interface Selection {
  /** 0 automatic, 1 manual, 2 deregistered, 4 manual with fallback. */
  readonly mode: number | undefined
  /** The code of the current operator; empty without a network. */
  readonly code: string
}

function isChosen({ mode, code }: Selection, choice: OperatorChoice): boolean {
  if (choice === 'automatic') return mode === 0
  // After a fallback, the modem reports the automatic mode.
  return code === choice.code && (mode === 1 || choice.mayFallBack)
}

function selection(choice: OperatorChoice): Query<true> {
  const text = choice === 'automatic' ? 'AT+COPS=0' : `AT+COPS=${choice.mayFallBack ? 4 : 1},2,"${choice.code}"`
  return { text, timeoutMs: selectionTimeoutMs, read: () => true }
}

/** The modem searches for the operator and registers with it before it answers. */
const selectionTimeoutMs = 180_000

const readSelection: Query<Selection> = {
  text: 'AT+COPS?',
  timeoutMs: 10_000,
  prefixes: ['+COPS'],
  read: (lines) => {
    const line = lastWith(lines, '+COPS')
    if (line === undefined) return undefined
    const [mode, , operator] = parseParameters(line.body)
    return { mode: integerOf(mode), code: parameterText(operator) }
  },
}

const showCodes = nameFormat(2)
const showNames = nameFormat(0)

function nameFormat(format: 0 | 2): Query<true> {
  return { text: `AT+COPS=3,${format}`, timeoutMs: 10_000, read: () => true }
}
