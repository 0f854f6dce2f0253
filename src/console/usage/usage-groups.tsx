import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { useMay, useSession } from '../api/scopes.ts';
import { useApi } from '../api/use-api.ts';
import { UsageByGroupDocument } from '../generated/graphql.ts';
import { formatCount, formatSeconds, plural } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { Button, ErrorNote, Loading, Note } from '../ui/parts.tsx';
import { type FigureName, figureNames, type GroupLine, inOrder, readOrder } from './group-order.ts';
import { GroupValue } from './group-value.tsx';
import type { GroupChoice } from './usage-address.ts';
import { filterOf, type UsageScope } from './usage-scope.ts';
import { useSetParam } from './use-set-param.ts';

interface UsageGroupsProps {
  readonly scope: UsageScope;
  readonly choices: readonly GroupChoice[];
  /** The default when the URL names none. */
  readonly usual: string;
}

const pageLines = 50;

/** The same period, grouped; grouping and order are stored in the URL. */
export function UsageGroups({ scope, choices, usual }: UsageGroupsProps) {
  const [params] = useSearchParams();
  const set = useSetParam();
  const requested = params.get('by') ?? usual;
  const choice = choices.find(({ name }) => name === requested) ?? choices[0];
  if (choice === undefined) return null;
  return (
    <section className="panel" aria-label="Groups">
      <div className="pad group-bar">
        <label className="inline-field">
          <span>By</span>
          <select value={choice.name} onChange={({ target }) => set('by', target.value)}>
            {choices.map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </div>
      <GroupTable
        key={choice.name}
        scope={scope}
        choice={choice}
        order={readOrder(params)}
        onOrder={(name) => set('sort', name)}
      />
    </section>
  );
}

interface GroupTableProps {
  readonly scope: UsageScope;
  readonly choice: GroupChoice;
  readonly order: FigureName;
  readonly onOrder: (name: FigureName) => void;
}

function GroupTable({ scope, choice, order, onOrder }: GroupTableProps) {
  const { id } = useSession();
  const { write } = useMay();
  const [shown, setShown] = useState(pageLines);
  // Only those who may change endpoints see who else runs them.
  const isOwn = choice.groupBy.includes('key') && !write;
  const { data, error } = useApi(UsageByGroupDocument, {
    projectId: scope.projectId,
    from: scope.time.from,
    groupBy: choice.groupBy,
    filter: { ...filterOf(scope), ...(isOwn ? { key: id } : {}) },
  });
  if (error !== null) return <ErrorNote error={error} />;
  const lines = data?.usage?.results;
  if (lines === undefined) return <Loading lines={4} />;
  const columns = scope.endpoint === null ? choice.groupBy : choice.groupBy.filter(notEndpoint);
  return (
    <>
      {isOwn && (
        <Note>
          Only the runs of your own key: who else runs endpoints takes the scope endpoint:write.
        </Note>
      )}
      <div className="table-scroll" role="region" aria-label="Usage by group" tabIndex={0}>
        <table className="plain-table usage-table">
          <Heads columns={columns} order={order} onOrder={onOrder} />
          <tbody>
            {inOrder(lines, order)
              .slice(0, shown)
              .map((line) => (
                <Line key={idOf(line)} line={line} columns={columns} />
              ))}
          </tbody>
        </table>
      </div>
      {lines.length > shown && (
        <p className="more">
          <Button onClick={() => setShown(shown + pageLines)}>
            More of {plural(lines.length, 'line')}
          </Button>
        </p>
      )}
    </>
  );
}

const notEndpoint = (group: string) => group !== 'endpoint';

function idOf({ endpointId, version, key, interface: by, path, outcome }: GroupLine): string {
  return [endpointId, version, key?.id, by, path, outcome].join(' ');
}

const groupNames: Readonly<Record<string, string>> = {
  endpoint: 'Endpoint',
  version: 'Version',
  key: 'Key',
  interface: 'Interface',
  path: 'Served from',
  outcome: 'Outcome',
};

interface HeadsProps {
  readonly columns: readonly string[];
  readonly order: FigureName;
  readonly onOrder: (name: FigureName) => void;
}

function Heads({ columns, order, onOrder }: HeadsProps) {
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column} scope="col">
            {groupNames[column]}
          </th>
        ))}
        {(Object.keys(figureNames) as FigureName[]).map((name) => (
          <th
            key={name}
            scope="col"
            className="number"
            aria-sort={name === order ? 'descending' : undefined}
          >
            <button type="button" className="sort-button" onClick={() => onOrder(name)}>
              {figureNames[name]}
              {name === order && <Icon name="down" />}
            </button>
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Line({ line, columns }: { line: GroupLine; columns: readonly string[] }) {
  const took = (ms: number | null) => (ms === null ? '–' : formatSeconds(ms / 1000));
  return (
    <tr>
      {columns.map((column) => (
        <td key={column}>
          <GroupValue line={line} group={column} />
        </td>
      ))}
      <td className="number">{formatCount(line.runs)}</td>
      <td className={line.errors > 0 ? 'number failed-count' : 'number'}>
        {formatCount(line.errors)}
      </td>
      <td className="number">{took(line.p50Ms)}</td>
      <td className="number">{took(line.p95Ms)}</td>
      <td className="number">{formatCount(line.rowsRead)}</td>
      <td className="number">{formatSeconds(line.engineSeconds)}</td>
      <td className="number">
        {line.processorSeconds === null ? '–' : formatSeconds(line.processorSeconds)}
      </td>
    </tr>
  );
}
