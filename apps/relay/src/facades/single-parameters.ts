import { fieldError } from '../http/errors/validation-error.ts'
import type { FacadeParameters } from '../http/facade/facade.ts'

/**
 * Returns the parameters of a query and a form. Refuses a repeated parameter, because a proxy may read a different
 * value than the relay.
 */
export function singleParameters(query: FacadeParameters, form: FacadeParameters): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of [...Object.entries(query), ...Object.entries(form)]) {
    if (typeof value !== 'string' || values.has(name))
      throw fieldError(name.slice(0, 64), 'is given more than once: send it once')
    values.set(name, value)
  }
  return values
}
