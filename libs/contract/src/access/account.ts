import { z } from 'zod'
import { requestBody } from '../fields/request-body.ts'

export const passwordChange = requestBody({
  currentPassword: z.string().min(1).max(512),
  newPassword: z.string().min(1).max(512).meta({ description: 'At least 8 characters and at most 128 bytes' }),
}).meta({
  id: 'PasswordChange',
  examples: [{ currentPassword: 'tea at half past four', newPassword: 'coffee at a quarter to five' }],
})
