import { optionalText } from '../words/text.ts'
/** Describes the state of a SIM. A newer agent may report states that the catalogue does not have yet. */
export function simStateWords(state: string): string {
  return optionalText(`simState.${state}`) ?? state
}
