import { Counter, type Registry } from 'prom-client'
import { ApiError } from '../../http/errors/api-error.ts'

type Method = 'password' | 'session' | 'token' | 'key'

/** Counts login attempts by their result. */
export type ObserveLogin = (method: Method, result: 'accepted' | 'refused' | 'throttled') => void

export function loginMetrics(registry: Registry): ObserveLogin {
  const logins = new Counter({
    name: 'smsgw_logins_total',
    help: 'Login attempts by kind of credential and result; "throttled" means refused before the check, because there were too many wrong attempts',
    labelNames: ['method', 'result'],
    registers: [registry],
  })
  return (method, result) => logins.inc({ method, result })
}

interface Login<Given extends readonly unknown[], Found> {
  check(...given: Given): Promise<Found | undefined>
}

/** Wraps a login so that each attempt is counted. */
export function observedLogin<Given extends readonly unknown[], Found>(
  login: Login<Given, Found>,
  method: Method,
  observe: ObserveLogin,
): Login<Given, Found> {
  return {
    async check(...given) {
      try {
        const found = await login.check(...given)
        observe(method, found === undefined ? 'refused' : 'accepted')
        return found
      } catch (error) {
        if (error instanceof ApiError && error.status === 429) observe(method, 'throttled')
        throw error
      }
    },
  }
}
