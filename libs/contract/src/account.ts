import { z } from 'zod'
import { requestBody } from './request-body.ts'

export const passwordChange = requestBody({
  currentPassword: z.string().min(1).max(512),
  newPassword: z.string().min(1).max(512).meta({ description: '8 characters at least, 128 bytes at most' }),
}).meta({
  id: 'PasswordChange',
  examples: [{ currentPassword: 'tea at half past four', newPassword: 'coffee at a quarter to five' }],
})
