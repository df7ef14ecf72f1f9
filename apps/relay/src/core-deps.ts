import type { Clock } from './clock.ts'
import type { Logbook } from './logs/logbook.ts'
import type { MessageRules } from './messages/accept/check-message.ts'
import type { Random } from './random.ts'
import type { Database } from './store/database.ts'
import type { SecretBox } from './store/secret-box.ts'

/** The parts of a relay that most features use. Each feature names the parts that it needs. */
export interface CoreDeps {
  readonly database: Database
  readonly clock: Clock
  readonly random: Random
  readonly box: SecretBox
  readonly logbook: Logbook
}

/** The parts of a feature that finds messages by a phone number. */
export interface NumberDeps extends Pick<CoreDeps, 'database'> {
  readonly rules: Pick<MessageRules, 'defaultRegion'>
}
