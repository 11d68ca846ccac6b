import type { Stripe } from 'stripe'
import { z } from 'zod'
import { AppError, validationError } from '../../kernel/errors.ts'
import { isStorable } from '../../kernel/text.ts'
import type { ProcessorEvent } from '../payment-processor.ts'

/** Stripe's ids are far shorter. Rejects text that PostgreSQL cannot store. */
const storedText = z.string().min(1).max(255).refine(isStorable)
/** An id, or the expanded object. */
const reference = z.union([storedText, z.object({ id: storedText }).transform(({ id }) => id)])
const metadata = z.looseObject({ organizationId: z.string().optional().catch(undefined) })

/** The event fields that are read; the API supplies the current state. */
const Event = z.object({
  id: storedText,
  type: storedText,
  data: z.object({
    object: z.object({
      object: z.string().optional(),
      id: storedText.optional().catch(undefined),
      customer: reference.nullish().catch(null),
      client_reference_id: z.string().nullish().catch(null),
      metadata: metadata.nullish().catch(null),
      // An invoice has its subscription's metadata here.
      parent: z
        .object({ subscription_details: z.object({ metadata: metadata.nullish() }).nullish() })
        .nullish()
        .catch(null),
    }),
  }),
})

const SIGNATURE_TOLERANCE_SECONDS = 300

/**
 * Verifies a webhook's signature, at most five minutes old, and reads whose state the event concerns.
 * @throws AppError `webhook_signature_invalid`, `malformed_json`, `validation_failed`
 */
export function readStripeEvent(
  stripe: Stripe,
  request: { rawBody: Buffer; signature: string | undefined; secret: string; now: Date },
): ProcessorEvent {
  const { rawBody, signature = '', secret, now } = request
  try {
    const event: unknown = stripe.webhooks.constructEvent(
      rawBody,
      signature,
      secret,
      SIGNATURE_TOLERANCE_SECONDS,
      undefined,
      now.getTime(),
    )
    return toProcessorEvent(event)
  } catch (error) {
    if (error instanceof AppError) throw error
    if (error instanceof SyntaxError)
      throw new AppError('malformed_json', 'The body is not a Stripe event', { cause: error })
    // The package's signature error holds the whole body, which must not be logged.
    throw new AppError(
      'webhook_signature_invalid',
      "The request has no valid Stripe signature from the last 5 minutes; compare STRIPE_WEBHOOK_SECRET with the endpoint's signing secret",
    )
  }
}

function toProcessorEvent(event: unknown): ProcessorEvent {
  const parsed = Event.safeParse(event)
  if (!parsed.success) throw validationError([{ path: '', message: 'The body is not a Stripe event' }])
  const { id, type, data } = parsed.data
  const { object } = data
  return {
    id,
    type,
    customerId: object.object === 'customer' ? (object.id ?? null) : (object.customer ?? null),
    organizationId:
      object.metadata?.organizationId ??
      object.client_reference_id ??
      object.parent?.subscription_details?.metadata?.organizationId ??
      null,
  }
}
