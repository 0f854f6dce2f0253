import type { ReactNode } from 'react';

interface HealthTableProps {
  readonly title: string;
  readonly about?: string;
  /** A numeric column is a one-element list. */
  readonly columns: readonly (string | readonly [string])[];
  readonly children: ReactNode;
}

/** A table with a heading; scrolls horizontally if it is too wide. */
export function HealthTable({ title, about, columns, children }: HealthTableProps) {
  return (
    <section className="panel" aria-label={title}>
      <div className="pad">
        <h2>{title}</h2>
        {about !== undefined && <p className="muted small">{about}</p>}
      </div>
      <div className="table-scroll" role="region" aria-label={`${title}, table`} tabIndex={0}>
        <table className="plain-table nowrap">
          <thead>
            <tr>
              {columns.map((column) => (
                <th
                  key={String(column)}
                  scope="col"
                  className={typeof column === 'string' ? undefined : 'number'}
                >
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
    </section>
  );
}
