import { z } from 'zod'
import { deliveryProblemCodes } from './delivery-problem.ts'

export const deliveryProblemCode = z.enum(deliveryProblemCodes)
export const deliveryProblemValues = z.record(z.string(), z.union([z.string(), z.number()]))

/** Part of the descriptions of codes. */
export const newCodes = 'Absent if the text has no code. New codes may be added'
