import { z } from 'zod'

/** The body of every error: members of RFC 9457, and `code` and `message`, which existing clients read. */
export const problem = z
  .strictObject({
    code: z.int().meta({ description: 'The HTTP status' }),
    message: z.string().meta({ description: 'What is wrong and what to do' }),
    type: z.string().meta({ description: 'Kind of error; `about:blank` when the status says it all' }),
    title: z.string().meta({ description: 'The words of the HTTP status' }),
    status: z.int().meta({ description: 'Same as `code`' }),
    detail: z.string().meta({ description: 'Same as `message`' }),
    requestId: z.string().meta({ description: 'Same as the header `X-Request-ID`; name it when you ask for help' }),
    errors: z
      .array(
        z.strictObject({
          path: z.string().meta({ description: 'Member of the request', examples: ['phoneNumbers[2]'] }),
          message: z.string(),
        }),
      )
      .optional()
      .meta({ description: 'What is wrong with each member' }),
  })
  .meta({ id: 'Problem', description: 'The one shape of all errors' })

export type Problem = z.output<typeof problem>
