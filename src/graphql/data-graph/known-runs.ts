/**
 * Requests with a single run, recognized by their text after the first response. Each time the field is looked up; if
 * it has another shape, or belongs to another endpoint, the request is read again.
 */

import type { HttpResponse, RequestText } from '../../http/message.ts';
import type { Rendering } from '../../http/rendering.ts';
import { requestKey } from '../../http/request-key.ts';
import type { ResponseBody } from '../../http/response-body.ts';
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { RunDeps } from '../../runs/deps.ts';
import {
  type InterfaceRequest,
  type PreparedRequest,
  type Render,
  renderingOf,
} from '../../runs/prepared-runs.ts';
import { runEndpoint } from '../../runs/run-endpoint.ts';
import type { RunResponse } from '../../runs/run-response.ts';
import { renderFor, runKeyOf } from '../prepare-run.ts';
import type { Catalogue, FoundField } from './catalogue.ts';
import { type GraphCaller, rejected } from './graph-caller.ts';
import type { OnlyRun, StartedRun } from './graph-request.ts';
import type { PlannedRun } from './plan.ts';
import { writeRun } from './write-run.ts';

export interface KnownRuns {
  /** The request's key, and its run if known. */
  find(caller: GraphCaller): FoundRun;
  /** Stores the only run of a successful request. */
  store(key: string, caller: GraphCaller, run: StoredRun): void;
  /** The response, or a started run whose response must be built from the document, or null. */
  repeat(caller: GraphCaller, known: KnownRun): MaybePromise<HttpResponse | StartedRun | null>;
}

interface StoredRun extends OnlyRun {
  readonly contentType: string;
  /** Name of the operation; null when it has none. */
  readonly operationName: string | null;
}

interface FoundRun {
  /** Null when the text is too long to store. */
  readonly key: string | null;
  readonly known: KnownRun | null;
}

/** A prepared run with its field. */
interface KnownRun {
  readonly prepared: PreparedRequest;
  readonly of: FieldRequest;
}

/** The stored part of such a request. */
class FieldRequest implements InterfaceRequest {
  readonly operation = 'data_graph';
  readonly root: PlannedRun;
  readonly version: number | null;
  readonly operationName: string | null;
  readonly render: Render;
  /** Start of a body that is built again. */
  readonly opening: Buffer;

  constructor({ root, version, contentType, operationName }: StoredRun) {
    this.root = root;
    this.version = version;
    this.operationName = operationName;
    this.render = renderFor(contentType);
    this.opening = Buffer.from(`{"data":{${JSON.stringify(root.key)}:`);
  }
}

export function openKnownRuns(deps: RunDeps, catalogue: Catalogue): KnownRuns {
  return {
    find({ request }) {
      const key = requestKey(request, keyOf);
      const prepared = key === null ? undefined : deps.preparedRuns.find(key);
      const of = prepared?.request;
      if (prepared === undefined || !(of instanceof FieldRequest)) return { key, known: null };
      return { key, known: { prepared, of } };
    },
    store(key, { project }, run) {
      const { endpoint, input } = run;
      // The content tag does not cover the metadata returned with debug.
      if (input.debug === true) return;
      const { name } = endpoint;
      const call = {
        projectId: project,
        name,
        input,
        valueSource: 'json',
        via: 'graphql',
      } as const;
      deps.preparedRuns.store(key, call, new FieldRequest(run));
    },
    repeat(caller, known) {
      const shapeId = known.of.root.shape.id;
      const failed = (error: unknown) => ({ shapeId, run: rejected(error) });
      try {
        const started = startAgain(deps, catalogue, { caller, known });
        const finish = (run: RunResponse | null) =>
          run === null ? null : respond(deps, caller, { run, known });
        return started instanceof Promise ? started.then(finish).catch(failed) : finish(started);
      } catch (error) {
        return failed(error);
      }
    },
  };
}

function keyOf(request: RequestText): string | null {
  const key = runKeyOf(request);
  return key === null ? null : `${request.path}\n${key}`;
}

/** Null when the field has changed. */
function startAgain(
  deps: RunDeps,
  catalogue: Catalogue,
  { caller, known }: { readonly caller: GraphCaller; readonly known: KnownRun },
): MaybePromise<RunResponse | null> {
  const { run } = known.prepared;
  const named = { name: run.call.name, field: known.of.root.shape.field };
  return andThen(caller.allowed(), ({ principal, projectId }) =>
    andThen(catalogue.findOf(projectId, named), (field) => {
      if (field === null || !isSame(field, known.of)) return null;
      const { endpoint } = field;
      return runEndpoint(deps, principal, { run, caller: caller.context, endpoint });
    }),
  );
}

function isSame({ shape, version }: FoundField, { root, version: known }: FieldRequest): boolean {
  return version === known && (shape === root.shape || shape.id === root.shape.id);
}

/** Uses the cached body, otherwise the cached plan. A result that does not fit the plan takes the regular path. */
function respond(
  deps: RunDeps,
  caller: GraphCaller,
  { run, known }: { readonly run: RunResponse; readonly known: KnownRun },
): MaybePromise<HttpResponse | StartedRun> {
  const acceptEncoding = caller.request.headers.get('accept-encoding');
  const accepted = { acceptEncoding, ifNoneMatch: null };
  const rendering = renderingOf(run, accepted, known.of.render);
  const kept = deps.bodies.find(rendering.bodyName, run.rows);
  if (kept !== undefined) return toResponse(rendering, kept);
  return writeBody(deps, caller, { run, known, rendering }).catch(() => ({
    shapeId: known.of.root.shape.id,
    run,
  }));
}

async function writeBody(
  { bodies, config }: RunDeps,
  { context }: GraphCaller,
  {
    run,
    known: {
      of: { root, opening },
    },
    rendering,
  }: { readonly run: RunResponse; readonly known: KnownRun; readonly rendering: Rendering },
): Promise<HttpResponse> {
  const budget = { bytesLeft: config.maxResultBytes, signal: context.signal };
  const written = await writeRun(run, root, budget);
  const make = () => [opening, ...written, closing];
  const { bodyName: name, encoding } = rendering;
  const { rows, isCached: isRepeated } = run;
  return toResponse(rendering, await bodies.get({ name, encoding, rows, isRepeated, make }));
}

const closing = Buffer.from('}}');

function toResponse({ status, headers, head }: Rendering, body: ResponseBody): HttpResponse {
  return { status, headers, head, body };
}
