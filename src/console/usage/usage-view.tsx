import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { useProject } from '../shell/use-project.ts';
import { PageHead } from '../ui/parts.tsx';
import { useTitle } from '../ui/use-title.ts';
import { projectGroups, type RangeName, ranges, readRange, timeOf } from './usage-address.ts';
import { UsageAdvice } from './usage-advice.tsx';
import { UsageExecutions } from './usage-executions.tsx';
import { UsageGroups } from './usage-groups.tsx';
import { UsageOverTime } from './usage-over-time.tsx';
import type { UsageScope } from './usage-scope.ts';
import { useSetParam } from './use-set-param.ts';

/** Usage of a project's runs. */
export function UsageView() {
  useTitle('Usage');
  const scope = useUsageScope(null);
  return (
    <div className="view">
      <PageHead
        title="Usage"
        about={<p>All runs of this project. Times are in UTC.</p>}
        actions={<RangeChoice />}
      />
      <UsageOverTime scope={scope} />
      <UsageGroups scope={scope} choices={projectGroups} usual="endpoint" />
      <UsageExecutions scope={scope} />
      <UsageAdvice scope={scope} />
    </div>
  );
}

/** The period in the URL. @param endpoint null for the whole project */
export function useUsageScope(endpoint: UsageScope['endpoint']): UsageScope {
  const projectId = useProject();
  const [params] = useSearchParams();
  const range = readRange(params);
  const time = useMemo(() => timeOf(range, Date.now()), [range]);
  return { projectId, endpoint, time };
}

export function RangeChoice() {
  const [params] = useSearchParams();
  const set = useSetParam();
  const range = readRange(params);
  return (
    <fieldset className="segmented">
      <legend className="visually-hidden">Time</legend>
      {(Object.keys(ranges) as RangeName[]).map((name) => (
        <label key={name} className="segment">
          <input
            type="radio"
            name="range"
            checked={name === range}
            onChange={() => set('range', name)}
          />
          {ranges[name].label}
        </label>
      ))}
    </fieldset>
  );
}
