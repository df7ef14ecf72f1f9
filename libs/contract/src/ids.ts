import { z } from 'zod'

/** Made by the relay, as those of devices always are. */
export const deviceId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{21}$/)
  .meta({ description: 'Id of a device', examples: ['Xk2Zt7vQ9sLrB4mNdP1aW'] })

/** Given by the client, for a message or a webhook. */
export const givenId = z
  .string()
  .min(1)
  .max(36)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  .regex(/^[^\u0000-\u001f\u007f]*$/, 'must not hold control characters')
  .meta({ description: 'Unique in the account; generated when left out', examples: ['order:4711'] })

/** As answered: given or generated. */
export const resourceId = z.string().min(1).max(36)

/** Of a path. What cannot be an id is unknown like any other: the endpoint says so. */
export const idParams = z.object({ id: z.string().min(1) })
export const jtiParams = z.object({ jti: z.string().min(1) })
