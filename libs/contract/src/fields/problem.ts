import { z } from 'zod'
import { keyRefusals } from '../access/api-key.ts'
import { type FieldReason, fieldReasons, type RequestReason, requestReasons } from './problem-reason.ts'

const values = z
  .record(z.string(), z.union([z.string(), z.number()]))
  .optional()
  .meta({ description: 'Values that belong to `reason`' })

/** The body of every error: the members of RFC 9457, plus `code` and `message` for existing clients. */
export const problem = z
  .strictObject({
    code: z.int().meta({ description: 'The HTTP status' }),
    message: z.string().meta({ description: 'What is wrong and what to do' }),
    type: z
      .string()
      .meta({ description: 'Type of the error; `about:blank` when the error has no type besides its HTTP status' }),
    title: z.string().meta({ description: 'Reason phrase of the HTTP status' }),
    status: z.int().meta({ description: 'Same as `code`' }),
    detail: z.string().meta({ description: 'Same as `message`' }),
    reason: z
      .enum([...keyRefusals, ...(Object.keys(requestReasons) as RequestReason[])])
      .optional()
      .meta({
        description:
          'Stable code of the reason for the error, for example the limit of the API key that forbids the request. Absent if the status says everything. New codes may be added',
      }),
    values,
    requestId: z.string().meta({ description: 'Same as the header `X-Request-ID`; include it in support requests' }),
    errors: z
      .array(
        z.strictObject({
          path: z.string().meta({ description: 'Path of the member in the request', examples: ['phoneNumbers[2]'] }),
          reason: z.enum(Object.keys(fieldReasons) as FieldReason[]).meta({
            description: 'Stable code of the error; `invalid` when only `message` describes it. New codes may be added',
            examples: ['phone_number_invalid'],
          }),
          values,
          message: z.string(),
        }),
      )
      .optional()
      .meta({ description: 'The errors of each member' }),
  })
  .meta({ id: 'Problem', description: 'The format of all errors' })

export type Problem = z.output<typeof problem>
