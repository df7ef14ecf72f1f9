import type { Admissions } from '../admissions.ts'

/** Access is never lost. */
export const NEVER_LOST: Admissions = {
  lossOf: async () => undefined,
  watch: () => () => undefined,
}
