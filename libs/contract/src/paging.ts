import { z } from 'zod'
import { queryInteger } from './request-query.ts'
import { instant } from './times.ts'

export function limitUpTo(maximum: number) {
  return queryInteger(1, maximum).default(50).meta({ description: 'Items of one page', default: 50 })
}

export const pageCursor = z
  .string()
  .max(1024)
  .optional()
  .meta({ description: 'Opaque, from the `Link` header of the page before' })

export const paging = {
  limit: limitUpTo(100),
  offset: queryInteger(0, 2_147_483_647)
    .default(0)
    .meta({ description: 'Items to skip; for large histories follow `Link` instead', default: 0 }),
  cursor: z.string().max(512).optional().meta({
    description:
      'Opaque, from the `Link` header of the page before; fast however deep. `start`: the first page without its total',
  }),
}

export const timeRange = {
  from: instant.optional().meta({ description: 'Not earlier than this' }),
  to: instant.optional().meta({ description: 'Earlier than this' }),
}

/** As a check of the whole query. */
export function refuseReversedRange(context: z.core.ParsePayload<{ from?: Date | undefined; to?: Date | undefined }>) {
  const { from, to } = context.value
  if (from && to && from > to)
    context.issues.push({ code: 'custom', path: ['from'], message: 'must not be after `to`', input: from })
}
