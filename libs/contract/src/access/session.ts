import { z } from 'zod'
import { requestBody } from '../fields/request-body.ts'
import { scopes } from './scopes.ts'

/** Name of the cookie with the session of a browser. */
export const SESSION_COOKIE = 'smsgw_session'

export const sessionRequest = requestBody({
  username: z.string().min(1).max(512),
  password: z.string().min(1).max(512),
}).meta({ id: 'SessionRequest', examples: [{ username: 'sms', password: 'tea at half past four' }] })

/** The caller and the features of this server. */
export const sessionInfo = z
  .strictObject({
    username: z.string(),
    mode: z
      .enum(['local', 'cloud'])
      .meta({ description: '`local`: the server runs on one machine and uses password authentication without tokens' }),
    version: z.string(),
    scopes: z.array(z.enum(scopes)).meta({ description: 'Scopes of the caller' }),
    twilioAccountSid: z.string().meta({ description: 'Account SID for programs that use the Twilio-compatible API' }),
    hasVirtualPhone: z.boolean().meta({ description: 'True when a virtual modem with a virtual phone is running' }),
  })
  .meta({ id: 'SessionInfo' })

export type SessionInfo = z.output<typeof sessionInfo>
