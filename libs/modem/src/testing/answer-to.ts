import { type Query, type QueryAnswer, runQuery } from '../commands/query.ts'
import { Dialogue } from '../dialogue/dialogue.ts'
import { DescribedModem } from './described-modem.ts'
import { ManualClock } from './manual-clock.ts'

/**
 * Passes an answer through the tokenizer and a dialogue, and returns the value that the query reads. The answer is
 * written as in `DescribedModem`.
 */
export async function answerTo<T>(query: Query<T>, answer: string): Promise<QueryAnswer<T>> {
  const port = new DescribedModem({ [query.text]: answer })
  const clock = new ManualClock()
  const dialogue = new Dialogue({ port, clock, onEvent: () => undefined })
  const asked = runQuery(dialogue, query)
  await clock.advance(query.timeoutMs * 4)
  return asked
}

export async function valueFrom<T>(query: Query<T>, answer: string): Promise<T> {
  const outcome = await answerTo(query, answer)
  if (outcome.kind !== 'value') throw new Error(`${answer} was not read: ${JSON.stringify(outcome)}`)
  return outcome.value
}
