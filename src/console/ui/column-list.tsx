interface ColumnListProps {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** Columns with their types. */
export function ColumnList({ columns }: ColumnListProps) {
  return (
    <ul className="column-list">
      {columns.map(({ name, type }, at) => (
        <li key={`column ${at + 1}`}>
          <bdi>{name}</bdi>
          <code className="muted small">
            <bdi>{type}</bdi>
          </code>
        </li>
      ))}
    </ul>
  );
}
