import type { Admissions } from '../admissions.ts'

/** Nobody loses access. */
export const NEVER_LOST: Admissions = {
  lossOf: async () => undefined,
  watch: () => () => undefined,
}
