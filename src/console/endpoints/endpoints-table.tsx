import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';
import { Link } from 'react-router';
import { useProject, viewPath } from '../shell/use-project.ts';
import { plural } from '../ui/format.ts';
import { Ago, ErrorNote, Loading } from '../ui/parts.tsx';
import { type RowUsage, useRowUsage } from '../usage/use-row-usage.ts';
import { RunState, StoredState } from './endpoint-states.tsx';
import { LastDay } from './last-day.tsx';
import type { EndpointConditions } from './use-endpoint-filter.ts';
import { type EndpointRow, useEndpoints } from './use-endpoints.ts';

const rowHeight = 56;

interface EndpointsTableProps {
  readonly conditions: EndpointConditions;
  readonly whenEmpty: ReactNode;
}

/** A virtual list: as many rows as there are endpoints, but only visible ones are rendered. */
export function EndpointsTable({ conditions, whenEmpty }: EndpointsTableProps) {
  const project = useProject();
  const scroller = useRef<HTMLDivElement>(null);
  const { total } = useEndpoints(project, conditions.filter, [0, 0]);
  const virtual = useVirtualizer({
    count: total ?? 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const items = virtual.getVirtualItems();
  const inSight = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0] as const;
  const pages = useEndpoints(project, conditions.filter, inSight);
  const usageOf = useRowUsage(project, pages.idsInSight);
  if (pages.error !== null) return <ErrorNote error={pages.error} />;
  if (total === null) return <Loading lines={8} />;
  if (total === 0) return whenEmpty;
  return (
    <div className="panel list-panel">
      <div className="list-scroll" ref={scroller} tabIndex={0} role="region" aria-label="Endpoints">
        <div role="table" aria-label="Endpoints" aria-rowcount={total + 1}>
          <Heads />
          <div role="rowgroup" className="list-rows" style={{ height: virtual.getTotalSize() }}>
            {items.map(({ index, start }) => (
              <Row
                key={index}
                index={index}
                top={start}
                endpoint={pages.rowAt(index)}
                usageOf={usageOf}
                onLabel={conditions.toggleLabel}
              />
            ))}
          </div>
        </div>
      </div>
      <p className="list-count muted small" role="status">
        {plural(total, 'endpoint')}
      </p>
    </div>
  );
}

function Heads() {
  return (
    <div role="rowgroup" className="list-head">
      <div role="row" className="endpoint-row head">
        <span role="columnheader">Name</span>
        <span role="columnheader">Labels</span>
        <span role="columnheader">Runs in 24 h</span>
        <span role="columnheader" className="number">
          p95
        </span>
        <span role="columnheader">State</span>
        <span role="columnheader">Materialization</span>
        <span role="columnheader">Last run</span>
      </div>
    </div>
  );
}

interface RowProps {
  readonly index: number;
  readonly top: number;
  readonly endpoint: EndpointRow | undefined;
  readonly usageOf: (id: string) => RowUsage | null | undefined;
  readonly onLabel: (label: string) => void;
}

function Row({ index, top, endpoint, usageOf, onLabel }: RowProps) {
  const project = useProject();
  const place = { transform: `translateY(${top}px)`, height: rowHeight };
  if (endpoint === undefined)
    return (
      <div role="row" className="endpoint-row" style={place} aria-rowindex={index + 2}>
        <span role="cell">
          <span className="line" />
        </span>
      </div>
    );
  const { name, description, tags, materialization, lastExecutedAt } = endpoint;
  return (
    <div role="row" className="endpoint-row" style={place} aria-rowindex={index + 2}>
      <span role="cell" className="endpoint-name">
        <Link to={viewPath(project, 'endpoints', name)}>{name}</Link>
        <span className="muted small cut" title={description}>
          <bdi>{description}</bdi>
        </span>
      </span>
      <span role="cell" className="labels">
        <Labels labels={tags} onLabel={onLabel} />
      </span>
      <LastDay usage={usageOf(endpoint.id)} />
      <span role="cell">
        <RunState endpoint={endpoint} />
      </span>
      <span role="cell">
        <StoredState
          isMaterialized={endpoint.isMaterialized}
          status={materialization.status}
          ready={materialization.ready}
        />
      </span>
      <span role="cell" className="small nowrap">
        <Ago at={lastExecutedAt} />
      </span>
    </div>
  );
}

/** The first one, and how many others there are: a row has no room for all. */
function Labels({ labels, onLabel }: { labels: readonly string[] } & Pick<RowProps, 'onLabel'>) {
  const [first, ...others] = labels;
  if (first === undefined) return null;
  const rest = others.join(', ');
  return (
    <>
      <button type="button" className="chip" title={first} onClick={() => onLabel(first)}>
        <bdi>{first}</bdi>
      </button>
      {others.length > 0 && (
        <span className="muted small" title={rest}>
          <span aria-hidden="true">+{others.length}</span>
          <span className="visually-hidden">
            and <bdi>{rest}</bdi>
          </span>
        </span>
      )}
    </>
  );
}
