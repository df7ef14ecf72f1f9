import { optionalText } from '../words/text.ts'
/** A newer agent may report states that the catalogue does not have yet. */
export function simStateWords(state: string): string {
  return optionalText(`simState.${state}`) ?? state
}
