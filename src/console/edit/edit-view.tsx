import { useOutletContext } from 'react-router';
import { useMay } from '../api/scopes.ts';
import type { EndpointHead } from '../endpoints/endpoint-frame.tsx';
import { Empty, PageHead } from '../ui/parts.tsx';
import { useTitle } from '../ui/use-title.ts';
import { emptyDefinition, toDefinition } from './definition.ts';
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
  return endpoint === undefined ? (
    <NewEndpoint />
  ) : (
    <QueryEditor
      key={endpoint.revision}
      endpoint={endpoint}
      initial={toDefinition(endpoint.query)}
    />
  );
}

function NewEndpoint() {
  useTitle('New endpoint');
  return (
    <div className="view">
      <PageHead title="New endpoint" about={<p>A query that programs run by its name.</p>} />
      <QueryEditor endpoint={null} initial={emptyDefinition} />
    </div>
  );
}
