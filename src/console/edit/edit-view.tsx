import { useMemo, useState } from 'react';
import { useOutletContext, useSearchParams } from 'react-router';
import { useMay } from '../api/scopes.ts';
import type { EndpointHead } from '../endpoints/endpoint-frame.tsx';
import { Empty, Note, PageHead } from '../ui/parts.tsx';
import { useTitle } from '../ui/use-title.ts';
import { type Definition, emptyDefinition, toDefinition } from './definition.ts';
import { QueryEditor } from './query-editor.tsx';

/** Writes a new endpoint, or a new version of the surrounding frame's endpoint. */
export function EditView() {
  const endpoint = useOutletContext<EndpointHead | undefined>();
  const { write } = useMay();
  if (!write)
    return (
      <Empty title="This key may not change endpoints">
        <p>This requires the scope endpoint:write.</p>
      </Empty>
    );
  return endpoint === undefined ? <NewEndpoint /> : <OpenedEndpoint endpoint={endpoint} />;
}

/** The endpoint as it was when editing began: concurrent saves by others do not replace anything here. */
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
          Someone else has saved this endpoint since you opened it. Your changes are still here but
          cannot overwrite theirs: copy them before you leave.
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
      <PageHead title="New endpoint" about={<p>A query that programs can run by name.</p>} />
      <QueryEditor key={table} endpoint={null} initial={initial} />
    </div>
  );
}

/** The initial query: the first rows of the table named in the URL. Nothing else in a URL becomes part of a query. */
function queryOf(table: string): Definition {
  if (!/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?$/.test(table)) return emptyDefinition;
  return { ...emptyDefinition, query: `SELECT *\nFROM ${table}\nLIMIT 100` };
}
