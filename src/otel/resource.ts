import { randomUUID } from 'node:crypto';
import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import type { Config } from '../config/config.ts';
import { packageVersion } from '../lib/package-version.ts';
import { parsePairs } from './pairs.ts';

/** This process in traces and metrics. Each process is its own instance. */
export function resourceOf({ otelService, otelResource }: Config): Resource {
  return defaultResource().merge(
    resourceFromAttributes({
      'service.instance.id': randomUUID(),
      'service.version': packageVersion(),
      ...parsePairs(otelResource),
      'service.name': otelService,
    }),
  );
}
