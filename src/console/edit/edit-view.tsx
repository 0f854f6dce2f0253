import { useMemo, useState } from 'react';
import { useOutletContext, useSearchParams } from 'react-router';
import { useMay } from '../api/scopes.ts';
import type { EndpointHead } from '../endpoints/endpoint-frame.tsx';
import { Empty, Note, PageHead } from '../ui/parts.tsx';
import { useTitle } from '../ui/use-title.ts';
import { type Definition, emptyDefinition, toDefinition } from './definition.ts';
import { QueryEditor } from './query-editor.tsx';

/** Writes a new endpoint, or a new version of the one whose frame it stands in. */
export function EditView() {
  const endpoint = useOutletContext<EndpointHead | undefined>();
  const { write } = useMay();
  if (!write)
    return (
      <Empty title="This key may not change endpoints">
        <p>It needs the scope endpoint:write.</p>
      </Empty>
    );
  return endpoint === undefined ? <NewEndpoint /> : <OpenedEndpoint endpoint={endpoint} />;
}

/** The endpoint as it was when somebody began to change it: what others save meanwhile replaces nothing here. */
function OpenedEndpoint({ endpoint }: { endpoint: EndpointHead }) {
  const [opened, setOpened] = useState(endpoint);
  const [isChanged, setChanged] = useState(false);
  const isOld = opened.revision !== endpoint.revision;
  if (isOld && !isChanged) setOpened(endpoint);
  const initial = useMemo(() => toDefinition(opened.query), [opened]);
  return (
    <>
      {isOld && isChanged && (
        <Note tone="warn">
          The endpoint has been saved since you began. What you write is kept here, but not saved
          over that: take it along before you leave.
        </Note>
      )}
      <QueryEditor
        key={opened.revision}
        endpoint={opened}
        initial={initial}
        onChanged={setChanged}
      />
    </>
  );
}

function NewEndpoint() {
  useTitle('New endpoint');
  const table = useSearchParams()[0].get('table') ?? '';
  const initial = useMemo(() => queryOf(table), [table]);
  return (
    <div className="view">
      <PageHead title="New endpoint" about={<p>A query that programs run by its name.</p>} />
      <QueryEditor key={table} endpoint={null} initial={initial} />
    </div>
  );
}

/** To begin with: the first rows of the table that the address names. Nothing else in an address becomes part of a query. */
function queryOf(table: string): Definition {
  if (!/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?$/.test(table)) return emptyDefinition;
  return { ...emptyDefinition, query: `SELECT *\nFROM ${table}\nLIMIT 100` };
}
