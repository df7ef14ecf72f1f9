import { z } from 'zod'
import { requestBody } from './request-body.ts'
import { scopes } from './scopes.ts'

/** Carries the session of a browser. */
export const SESSION_COOKIE = 'smsgw_session'

export const sessionRequest = requestBody({
  username: z.string().min(1).max(512),
  password: z.string().min(1).max(512),
}).meta({ id: 'SessionRequest', examples: [{ username: 'sms', password: 'tea at half past four' }] })

/** Who calls, and what is to be had here. */
export const sessionInfo = z
  .strictObject({
    username: z.string(),
    mode: z.enum(['local', 'cloud']).meta({ description: '`local`: passwords alone, no tokens' }),
    version: z.string(),
    scopes: z.array(z.enum(scopes)).meta({ description: 'What the caller may do' }),
    hasVirtualPhone: z.boolean().meta({ description: 'A virtual modem is here, and a phone to try it with' }),
  })
  .meta({ id: 'SessionInfo' })

export type SessionInfo = z.output<typeof sessionInfo>
