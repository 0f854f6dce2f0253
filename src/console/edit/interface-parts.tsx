import { ColumnList } from '../ui/column-list.tsx';
import { Fact, Facts } from '../ui/parts.tsx';
import type { Interface } from './changes.ts';

interface NewInterfaceProps extends Interface {
  readonly name: string;
  readonly path: string;
}

/** What callers of a new endpoint will find. */
export function NewInterface({ name, path, columns, variables }: NewInterfaceProps) {
  return (
    <>
      <Facts>
        <Fact name="Name">{name}</Fact>
        <Fact name="Path">
          <code>{path}</code>
        </Fact>
      </Facts>
      <h3>Columns</h3>
      <ColumnList columns={columns} />
      <h3>Variables</h3>
      {variables.length === 0 && <p className="muted">None.</p>}
      <ul className="column-list">
        {variables.map(({ name: variable, type, required }) => (
          <li key={variable}>
            <bdi>{variable}</bdi>
            <span className="small">
              <code className="muted">
                <bdi>{type}</bdi>
              </code>{' '}
              {required ? <span className="required">required</span> : 'optional'}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
