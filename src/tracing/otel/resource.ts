import { randomUUID } from 'node:crypto';
import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import type { Config } from '../../config/config.ts';
import { parsePairs } from './pairs.ts';

/** This process in traces. Each one is an instance of its own. */
export function resourceOf({ traceService, traceResource }: Config): Resource {
  return defaultResource().merge(
    resourceFromAttributes({
      'service.instance.id': randomUUID(),
      ...parsePairs(traceResource),
      'service.name': traceService,
    }),
  );
}
