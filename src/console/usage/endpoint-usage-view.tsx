import { useMemo } from 'react';
import { useMay } from '../api/scopes.ts';
import { useEndpointHead } from '../endpoints/endpoint-frame.tsx';
import { endpointGroups } from './usage-address.ts';
import { UsageAdvice } from './usage-advice.tsx';
import { UsageExecutions } from './usage-executions.tsx';
import { UsageGroups } from './usage-groups.tsx';
import { UsageOverTime } from './usage-over-time.tsx';
import { RangeChoice, useUsageScope } from './usage-view.tsx';

/** Usage of one endpoint, and who still runs which version. */
export function EndpointUsageView() {
  const { id, name } = useEndpointHead();
  const { write } = useMay();
  const scope = useUsageScope(useMemo(() => ({ id, name }), [id, name]));
  return (
    <div className="endpoint-usage">
      <div className="group-bar">
        <RangeChoice />
        <span className="muted small">Times are in UTC.</span>
      </div>
      <UsageOverTime scope={scope} />
      <UsageGroups
        scope={scope}
        choices={endpointGroups}
        usual={write ? 'version-key' : 'version'}
      />
      <UsageExecutions scope={scope} />
      <UsageAdvice scope={scope} />
    </div>
  );
}
