import { z } from 'zod'
import { queryInteger } from './request-query.ts'
import { instant } from './times.ts'

export function limitUpTo(maximum: number) {
  return queryInteger(1, maximum).default(50).meta({ description: 'Maximum number of items per page', default: 50 })
}

export const pageCursor = z
  .string()
  .max(1024)
  .optional()
  .meta({ description: 'Opaque value from the `Link` header of the previous page' })

export const paging = {
  limit: limitUpTo(100),
  offset: queryInteger(0, 2_147_483_647)
    .default(0)
    .meta({ description: 'Number of items to skip. For long lists, follow the `Link` header instead', default: 0 }),
  cursor: z.string().max(512).optional().meta({
    description:
      'Opaque value from the `Link` header of the previous page. Unlike `offset`, it is equally fast on every page. The value `start` returns the first page, without the total',
  }),
}

export const timeRange = {
  from: instant.optional().meta({ description: 'Start of the period, inclusive' }),
  to: instant.optional().meta({ description: 'End of the period, exclusive' }),
}

/** Checks a whole query: `from` must not be after `to`. */
export function refuseReversedRange(context: z.core.ParsePayload<{ from?: Date | undefined; to?: Date | undefined }>) {
  const { from, to } = context.value
  if (from && to && from > to)
    context.issues.push({ code: 'custom', path: ['from'], message: 'must not be after `to`', input: from })
}
